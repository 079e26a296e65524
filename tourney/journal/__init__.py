"""A run's folder and its journal."""
