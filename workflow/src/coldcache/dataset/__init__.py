"""The dataset of a campaign: collected, written, and read by notebooks."""
