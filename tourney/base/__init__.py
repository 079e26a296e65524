"""Errors, files, streams, reading of values and deadlines; knows nothing of games."""
