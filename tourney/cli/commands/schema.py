"""`tourney schema`: prints the JSON Schema of tournament files."""

import click

from tourney.cli.screen import echo_json


@click.command("schema", short_help="Print the JSON Schema of tournament files, for editors.")
def command() -> None:
    """Print the JSON Schema of tournament files, with the formats, games, bots and hosts that are installed.

    An editor completes and checks a tournament file by it whose first line is "#:schema ./tournament.schema.json", if
    the schema stands beside the file under that name. New files are written so: tourney new tournament NAME.
    """
    from tourney.config.json_schema import schema_text

    echo_json(schema_text().rstrip("\n"))
