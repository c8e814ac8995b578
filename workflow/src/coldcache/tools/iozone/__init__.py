"""IOzone: its command line and its logs."""
