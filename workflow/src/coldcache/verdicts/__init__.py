"""Decide whether a trial counts and whether its reads were cold."""
