"""The tournaments that are measured, with random inline bots."""

SEATS = {"leon": 4, "vole": 2, "voleur": 4, "bang": 4, "cold-blooded": 5}
"""The games, and with how many seats they are played."""


def tournament(game: str, deals: int) -> str:
    """A tournament file: the game on so many deals, all seats random."""
    return _text(SEATS[game], f'deals = {deals}\n[[game]]\nname = "{game}"\nseats = {SEATS[game]}')


def short(matches: int) -> str:
    """A tournament file: so many matches of one round of vole."""
    return _text(2, f"deals = {matches // 2}\n{_ROUND}")


def swiss(entrants: int, rounds: int) -> str:
    """A tournament file: a Swiss of one round of vole, in which each pair plays two matches."""
    return _text(entrants, f'format = "swiss"\nrounds = {rounds}\ndeals = 1\n{_ROUND}')


_ROUND = '[[game]]\nname = "vole"\noptions = { target = 1, max_rounds = 1 }'


def _text(entrants: int, rest: str) -> str:
    bots = ", ".join([f'{{ name = "random-{number}", use = "random" }}' for number in range(entrants)])
    return f'name = "bench"\nseed = 1\nbot = [{bots}]\n{rest}\n'
