"""The dataset of a campaign: collect it from raw logs, write it, and read it in notebooks."""
