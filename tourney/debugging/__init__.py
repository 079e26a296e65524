"""Bots examined outside a tournament: asked again about recorded matches, debugged, and checked for reliability."""
