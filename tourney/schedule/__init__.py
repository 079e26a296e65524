"""Entrants into blocks, lazily and in a fixed order; what is played is decided here, and nothing is played here."""
