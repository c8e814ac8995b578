"""The site of a report: executed notebooks, and pages down to the bytes of each log."""
