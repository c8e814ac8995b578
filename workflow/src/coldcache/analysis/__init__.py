"""Estimates, figures, tables and sentences: all that a notebook imports."""
