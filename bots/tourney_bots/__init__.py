"""The reference bots. They are declared by entry points, as the bots of others are."""
