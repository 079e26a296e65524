"""`tourney schema`: prints the JSON Schema of tournament files or match files."""

import click

from tourney.cli.screen import echo_json
from tourney.config import json_schema
from tourney.journal import export


@click.command("schema")
@click.argument("kind", metavar="[KIND]", type=click.Choice(["tournament", "match"]), default="tournament")
def command(kind: str) -> None:
    """Print the JSON Schema of tournament files, for your editor.

    It covers the installed formats, games, bots and hosts. Save it as tournament.schema.json next to your file, and
    start the file with the line "#:schema ./tournament.schema.json"; `tourney new tournament NAME` does both.

    With KIND match, prints the schema of match files written by `tourney export`.
    """
    echo_json((export if kind == "match" else json_schema).schema_text().rstrip("\n"))
