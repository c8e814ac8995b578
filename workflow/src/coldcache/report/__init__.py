"""Reports, comparisons and archives of campaigns."""
