"""The peers, a module each, with uniformly random bots; a module imports the package that it measures."""
