"""The subcommands of `python -m coldcache`, one module each."""
