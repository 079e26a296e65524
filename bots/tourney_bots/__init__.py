"""The reference bots. Entry points declare them, like the bots of others."""
