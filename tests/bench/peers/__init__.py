"""What others do with uniformly random bots, a package a module; each needs what it measures."""
