"""Tournaments on several machines, by dask."""
