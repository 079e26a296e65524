"""What a run's records add up to."""
