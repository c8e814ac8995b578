"""Statistics of storage measurements: intervals, ratios, tests and series. They open no files."""
