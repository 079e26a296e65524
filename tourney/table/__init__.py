"""One match: table, replay, live match, and its sentences."""
