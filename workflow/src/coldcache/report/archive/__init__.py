"""Archive a campaign in one file, anonymise it, and rebuild its results from raw logs."""
