"""The host that runs bots in a sandbox, and what it is made of."""

STARTED = "TOURNEY_STARTED"
"""The environment variable that may hold the number of a file descriptor. A byte goes there once nothing is left to do
that the system may refuse, and before there is anything of the command's, which so can neither write nor stop it."""
