"""The reference bots, declared by entry points like anyone's."""
