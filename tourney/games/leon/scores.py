"""What bids and sanctions of Le Léon pay, and how many cards a round has. Rules: docs/rules/leon.md."""

from typing import Final

from mypy_extensions import i64

FORGOTTEN: Final = 0
UNMASKED: Final = 1
REPENTED: Final = 2
"""The kinds of sanctions, as indices into `SANCTIONS`."""
SANCTIONS: Final = ("leon es vergeite", "smokeleir demasque", "smokeleir repenti")
SANCTION_POINTS: Final[tuple[int, ...]] = (-5, -5, -2)


def cards_in(number: i64, largest: i64) -> i64:
    """Returns how many cards each seat is dealt in the round of that number, with a largest hand of that size."""
    # docs/rules/leon: 1 up to the largest hand, and down to 1 again
    return number if number <= largest else 2 * largest + 1 - number


def bid_points(bid: i64, won: i64, attack: bool) -> i64:
    """Returns what a bid pays if `won` tricks were won; `attack` is the mode that pays more for higher bids."""
    if bid != won:
        return bid - won if bid < won else won - bid
    if not attack:
        return 1
    return (1 + bid) * (2 if bid >= 10 else 1)
