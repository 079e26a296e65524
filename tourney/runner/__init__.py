"""Blocks into records, in parallel."""
