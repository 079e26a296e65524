"""The rules of thumb by which `steady` plays, a module for each game."""
