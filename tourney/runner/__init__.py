"""Plays tournaments, here or on a cluster, into the folders of runs."""
