"""The page of a seat at the table: the match viewer, with what the person in the seat can do."""

from tourney.contracts.game import Game
from tourney.report.match_page import content_policy, head, page, viewer_parts


def seat_page(game: Game) -> str:
    """The page of any seat at a table of the game: it holds nothing of the match, and asks the server beside it."""
    parts = viewer_parts([game], seat=True)
    policy = content_policy([parts.script], [parts.style], served=True)
    return page(parts, policy, head(f"Your seat: {game.title}", f"A match of {game.title}, with you at the table."))
