"""Tournament files and manifests, and the tournaments that they describe."""

from tourney.config.entrants import absent_bots as absent_bots
from tourney.config.entrants import all_fingerprints as all_fingerprints
from tourney.config.entrants import create_hosts as create_hosts
from tourney.config.entrants import examine_bots as examine_bots
from tourney.config.entrants import log_file as log_file
from tourney.config.entrants import manifest as manifest
from tourney.config.entrants import not_repeating as not_repeating
from tourney.config.entrants import of_manifest as of_manifest
from tourney.config.entrants import option_files as option_files
from tourney.config.entrants import refuse_changed as refuse_changed
from tourney.config.entrants import repeats_itself as repeats_itself
from tourney.config.entrants import with_classes as with_classes
from tourney.config.loader import MAX_BYTES as MAX_BYTES
from tourney.config.loader import games_of as games_of
from tourney.config.loader import null_name as null_name
from tourney.config.loader import of_tables as of_tables
from tourney.config.loader import of_text as of_text
from tourney.config.loader import parse as parse
from tourney.config.loader import read as read
from tourney.config.loader import read_text as read_text
from tourney.config.loader import resolve as resolve
from tourney.config.loader import short_name as short_name
from tourney.config.loader import short_names as short_names
from tourney.config.loader import tables as tables
from tourney.config.tournament import Tournament as Tournament
from tourney.hosts.base import Entrant as Entrant
