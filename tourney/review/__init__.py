"""Bots examined outside a tournament: asked again about recorded matches, debugged, and checked for reliability."""

PLAYOUTS = 100  # of an action in an analysis, unless something else is said
