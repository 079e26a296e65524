"""Errors, files, streams, reading of values, seals and deadlines; knows nothing of games."""
