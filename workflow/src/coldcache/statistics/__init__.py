"""The statistics of storage measurements: intervals, ratios, tests, series. They open no file."""
