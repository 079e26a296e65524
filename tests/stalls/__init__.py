"""Shows whether clocks are fair: against bots that stall, and on a busy machine: `python -m tests.stalls --help`."""
