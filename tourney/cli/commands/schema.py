"""`tourney schema`: prints the JSON Schema of tournament files or match files."""

import click

from tourney.cli.screen import echo_json
from tourney.config import json_schema
from tourney.journal import export


@click.command("schema")
@click.argument("kind", metavar="[KIND]", type=click.Choice(["tournament", "match"]), default="tournament")
def command(kind: str) -> None:
    """Print the JSON Schema of tournament files, with the formats, games, bots and hosts that are installed.

    An editor completes and checks a tournament file by it whose first line is "#:schema ./tournament.schema.json", if
    the schema stands beside the file under that name. New files are written so: tourney new tournament NAME.

    With KIND match, it is the schema of the files that tourney export writes of a match.
    """
    echo_json((export if kind == "match" else json_schema).schema_text().rstrip("\n"))
