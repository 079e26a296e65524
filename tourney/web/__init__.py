"""Pages that a server of ours gives: runs as they are played, and seats at a table."""
