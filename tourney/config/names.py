"""Names of tournaments and entrants: fit for files and pages, and distinguishable for readers."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import name as character_name
from unicodedata import normalize

import orjson

from tourney.base.errors import ConfigError

MOST_LETTERS = 60
"""The length of the longest name of a tournament or an entrant."""
_NAME = re.compile(r"[\w.+-]+(?:@[\w.+-]+)?")
"""An @ precedes a bot's version."""
_SETTING = re.compile(r"[\w.+-]+(?: [\w.-]+=[\w.+-]+)+")
"""A bot of a sweep, with the values of its options."""
_INVISIBLE = "\u115f\u1160"
"""Invisible letters that survive normalization, which turns others, such as U+3164, into these."""
_EAST_ASIAN = {"CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO", "HANGUL"}
"""Scripts that may be mixed, also with Latin."""
_ALIKE = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf"  # Cyrillic: a to l
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405\u04ae"  # A to Y
    "\u03bf\u03bd\u03b1\u03b9\u03c1\u03c5"  # Greek: o to u
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"  # A to X
    "\u0251\u0131\u0261",  # Latin: alpha, dotless i, script g
    "aeopcyxijshdqwlABEKMHOPCTYXIJSYovaipuABEZHIKMNOPTYXaig",
)
"""Cyrillic, Greek and rare Latin letters, and their Latin lookalikes."""


def base_name(name: str) -> str:
    """The name of an entrant without its version."""
    return name.partition("@")[0]


def setting_name(bot: str, options: Mapping[str, Any]) -> str:
    """A bot's name with its swept options: texts without quotes, other values as in JSON."""
    return " ".join([bot, *[f"{key}={value_text(value)}" for key, value in options.items()]])


def value_text(value: Any) -> str:
    """A value as part of a name."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def validate_names(tournament: str, entrants: Sequence[str]) -> None:
    """Raises a `ConfigError` for invalid, misleading or look-alike names.

    Look-alikes beyond `_ALIKE` are not detected.
    """
    _validate(tournament, "name", _NAME.fullmatch(tournament) is not None)
    known: dict[str, str] = {}  # by appearance
    for name in entrants:
        _validate(name, "bots", (_NAME.fullmatch(name) or _SETTING.fullmatch(name)) is not None)
        looks_like = name.translate(_ALIKE)
        if looks_like in known:
            other = known[looks_like]
            problem = f'duplicate name "{name}"' if other == name else f"{other!a} and {name!a} look the same"
            raise ConfigError(f"bots: {problem}; rename one, in a [[bot]] table with name and use")
        known[looks_like] = name


def _validate(name: str, key: str, matches: bool) -> None:
    if not matches or name in (".", ".."):
        raise ConfigError(f'{key}: invalid name "{name}"; use letters, digits and . _ + -')
    if len(name) > MOST_LETTERS:
        raise ConfigError(f'{key}: "{name}" must be at most {MOST_LETTERS} letters long')
    if name.isascii():
        return
    plain = normalize("NFKC", name)
    if any([letter in plain for letter in _INVISIBLE]):
        raise ConfigError(f"{key}: {name!a} has an invisible letter; remove it")
    if plain != name:
        raise ConfigError(f"{key}: {name!a} has letters of an unusual form; write {plain!a}")
    if digit := next((each for each in name if each.isdigit() and not each.isascii()), ""):
        raise ConfigError(f"{key}: {name!a} has the digit {digit!a}; use 0 to 9")
    scripts = {character_name(each, "?").split()[0] for each in name if each.isalpha()}
    if len(scripts - _EAST_ASIAN) > 1:
        scripts_text = " and ".join(sorted(map(str.capitalize, scripts)))
        raise ConfigError(f"{key}: {name!a} mixes letters, {scripts_text}; use a single script")
