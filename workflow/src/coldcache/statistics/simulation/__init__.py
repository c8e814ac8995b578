"""Simulated campaigns that test the statistics: coverage of intervals, location of knees, error rates."""
