"""Models with a closed form that a study compares with what was measured."""
