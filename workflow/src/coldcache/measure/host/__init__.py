"""What one host says of itself: counters, mounts, processes, hardware."""
