"""Run trials: settings, cold caches, counters, and the tool itself."""
