"""What each decision of a run cost."""
