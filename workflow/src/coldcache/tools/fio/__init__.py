"""fio: its command line and its logs."""
