"""Bots in their own processes."""
