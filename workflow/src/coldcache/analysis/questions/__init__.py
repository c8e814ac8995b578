"""Answers to the questions of the notebooks: which sweeps bear on each, and what their estimates say."""
