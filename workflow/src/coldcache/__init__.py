"""Cold Cache: a reproducible, notebook-based study of storage performance."""
