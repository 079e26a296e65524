"""Bots that stall until the time of their match is nearly up; `tests/runner/test_stalls.py` plays them."""
