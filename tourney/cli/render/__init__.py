"""Everything that the commands print."""
