"""Formats of tournaments: which entrants meet, on which deals and in which seats. Nothing is played here."""
