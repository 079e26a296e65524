"""Packs, and cards as ints and as text: `from tourney.cards import VOLE`."""

from tourney.contracts.cards import BANG, LEON, STANDARD, VOLE, Deck

__all__ = ["BANG", "LEON", "STANDARD", "VOLE", "Deck"]
