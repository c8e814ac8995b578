"""Any command: its template, and the patterns that find its figures, are what a study states."""
