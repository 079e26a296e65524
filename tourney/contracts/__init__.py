"""The contracts of games, matches, bots, policies, views and encodings."""
