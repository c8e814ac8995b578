"""Studies and sites, expanded into cases, trials and command lines."""
