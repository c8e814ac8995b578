"""One driver per kind of setting: why_not, read, apply, restore."""
