"""The commands' output."""
