"""How `steady` plays, one game a file."""
