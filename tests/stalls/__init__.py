"""Shows whether clocks are fair against bots that stall: `python -m tests.stalls --help`."""
