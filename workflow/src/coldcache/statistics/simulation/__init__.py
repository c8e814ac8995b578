"""Simulated campaigns that prove the statistics: coverage of intervals, found knees, rates of error."""
