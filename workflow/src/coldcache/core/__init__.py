"""Shared by all rooms: errors, the vocabulary, units, records, YAML models and files."""
