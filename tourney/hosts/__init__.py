"""Where bots run."""
