"""IOR: its command line and its logs."""
