"""The host that locks a bot in."""
