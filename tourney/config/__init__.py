"""Tournament files and manifests, and the tournaments that they describe."""

from tourney.config.entrants import (
    absent_bots,
    all_fingerprints,
    create_hosts,
    examine_bots,
    isolations,
    log_file,
    with_classes,
)
from tourney.config.loader import games_of, load, of_text, parse, read, read_text, resolve, tables
from tourney.config.manifest import isolation, joined_isolation, manifest, of_manifest
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
    "isolation",
    "isolations",
    "joined_isolation",
    "load",
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
