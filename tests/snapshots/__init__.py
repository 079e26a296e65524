"""Snapshots: what the commands print at 80 columns into a pipe, one file a case: the command, its output, its exit code."""
