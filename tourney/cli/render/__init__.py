"""All that the commands print."""
