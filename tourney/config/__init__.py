"""Tournaments: read from files, checked, and told in manifests."""

from tourney.config.bots import check_bots, makers
from tourney.config.file import games_of, load, parse, read, resolve, tables
from tourney.config.manifests import manifest, of_manifest
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
