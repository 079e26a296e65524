"""Tournament files and manifests, and the tournaments that they describe."""

from tourney.config.entrants import (
    absent_bots,
    all_fingerprints,
    create_hosts,
    examine_bots,
    log_file,
    with_classes,
)
from tourney.config.loader import games_of, of_text, parse, read, read_text, resolve, tables
from tourney.config.manifest import manifest, of_manifest
from tourney.config.tournament import Anchor, Entrant, Tournament

__all__ = [
    "Anchor",
    "Entrant",
    "Tournament",
    "absent_bots",
    "all_fingerprints",
    "create_hosts",
    "examine_bots",
    "games_of",
    "log_file",
    "manifest",
    "of_manifest",
    "of_text",
    "parse",
    "read",
    "read_text",
    "resolve",
    "tables",
    "with_classes",
]
