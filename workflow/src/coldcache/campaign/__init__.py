"""A campaign on disk: its design, its trials, its seal, and logs imported into it."""
