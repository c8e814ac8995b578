"""mdtest: its command line and its logs."""
