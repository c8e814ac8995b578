"""Studies and sites, and their expansion into cases, trials and command lines."""
