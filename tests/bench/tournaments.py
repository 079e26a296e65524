"""The tournaments that are measured; all bots are random, and run inline."""

SEATS = {"leon": 4, "vole": 2, "voleur": 4, "bang": 4, "cold-blooded": 5}
"""The number of seats with which each game is played."""
_ROUND = '[[game]]\nname = "vole"\noptions = { target = 1, max_rounds = 1 }'


def tournament(game: str, deals: int) -> str:
    """Returns a tournament file of a game on that number of deals."""
    return _text(SEATS[game], f'deals = {deals}\n[[game]]\nname = "{game}"\nseats = {SEATS[game]}')


def short(matches: int) -> str:
    """Returns a tournament file of that number of matches, each one round of vole."""
    return _text(2, f"deals = {matches // 2}\n{_ROUND}")


def _text(entrants: int, rest: str) -> str:
    bots = ", ".join([f'{{ name = "random-{number}", use = "random" }}' for number in range(entrants)])
    return f'name = "bench"\nseed = 1\nbot = [{bots}]\n{rest}\n'
