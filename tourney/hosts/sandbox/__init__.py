"""The host that runs bots in a sandbox, and what it is made of."""
