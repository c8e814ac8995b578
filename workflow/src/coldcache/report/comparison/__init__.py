"""Compare campaigns: what else differs, and which cases became better or worse."""
