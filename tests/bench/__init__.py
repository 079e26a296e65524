"""Measures how fast everything is, side by side in one run: `make bench` (docs/performance.md)."""
