"""`python -m tests.mutants`: plants mistakes in `tourney/` at random, and counts how many the tests find."""
