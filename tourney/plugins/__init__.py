"""Games, bots, formats and hosts, found by name."""
