"""The report of a campaign: its site, comparisons with other campaigns, and archives."""
