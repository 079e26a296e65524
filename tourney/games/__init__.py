"""The games, one per folder."""
