"""A run, or one of its matches, as a page for a browser."""
