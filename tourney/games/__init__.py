"""The games, one a file."""
