"""Bots asked once more: what they answer to what a record says that they saw."""
