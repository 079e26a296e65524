"""Bots and games examined outside a tournament: matches verified, debugged and analysed, bots checked."""
