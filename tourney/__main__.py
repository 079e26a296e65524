"""`python -m tourney` is the `tourney` command."""

from tourney.cli.main import main

main(prog_name="tourney")
