"""Tournaments: read from files, checked, and told in manifests."""

from tourney.config.entrants import check_bots, makers
from tourney.config.loader import games_of, load, parse, read, resolve, tables
from tourney.config.manifest import manifest, of_manifest
from tourney.config.tournament import Anchor, Entrant, Tournament

__all__ = [
    "Anchor",
    "Entrant",
    "Tournament",
    "check_bots",
    "games_of",
    "load",
    "makers",
    "manifest",
    "of_manifest",
    "parse",
    "read",
    "resolve",
    "tables",
]
