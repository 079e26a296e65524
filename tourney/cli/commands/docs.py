"""`tourney docs`: shows the pages of the documentation."""

import click

from tourney.cli import completion
from tourney.cli.screen import echo, echo_text, show_markdown, width


@click.command("docs", short_help="Show a page of the documentation, or list all pages.")
@click.argument("page", required=False, shell_complete=completion.pages)
def command(page: str | None) -> None:
    """Show the page PAGE of the documentation, such as configuration or rules/vole; without PAGE, list all pages.

    On a terminal the page is laid out for reading; elsewhere it is printed as it was written, in Markdown.
    """
    from tourney.cli import pages
    from tourney.standings.tables import table

    if page is None:
        rows = [[each.name, each.title] for each in pages.all_pages()]
        echo_text(table(("page", "title"), rows, "table", words=(0, 1), width=width()))
        echo("", "tourney docs PAGE shows one.", err=True)
        return
    show_markdown(pages.read_page(page).text)
