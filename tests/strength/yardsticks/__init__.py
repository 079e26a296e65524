"""`steady` and `seer` as they once were, to measure newer bots by: they are never changed."""
