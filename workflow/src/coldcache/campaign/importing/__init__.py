"""Somebody else's logs as a campaign: found by content, arranged, copied with checksums."""
