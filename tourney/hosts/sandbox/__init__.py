"""The host that runs bots in a sandbox, and its parts."""
