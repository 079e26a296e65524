"""Bots whose class is sent to the workers by value, because it is in a script, a notebook or a function.

The parts of its module that the class uses are sent too; importable ones are imported there.
"""

import hashlib
import sys
from io import BytesIO
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import msgspec

from tourney.base.errors import PluginError
from tourney.plugins.failures import in_one_line
from tourney.plugins.registry import BY_VALUE, BotPlugin, bot_plugin, load_bot

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_LINE = "__firstlineno__"  # of a class, since Python 3.13


class PickledBot(msgspec.Struct, frozen=True):
    """A class of bots, ready to be sent to a worker."""

    code: bytes
    """The class, pickled by dill."""
    sha256: str
    """The fingerprint of its code; see `code_hash`."""


def pickled(kind: type[Any]) -> PickledBot:
    """Pickles a class of bots; a `PluginError` if it uses something that cannot be sent, such as an open file."""
    bot_plugin(kind, kind.__qualname__, use_of(kind), Path())
    try:
        return PickledBot(_dumped(kind), code_hash(kind))
    except Exception as error:
        raise PluginError(
            f"bot {kind.__name__} cannot be sent to workers: {in_one_line(error)}; make in its start what it needs, or "
            f"write it into a file, and enter it as FILE.py:{kind.__name__}"
        ) from error


def _dumped(value: Any, texts: list[str] | None = None) -> bytes:
    """A value as dill pickles it; with `texts`, adds what stands for each part in a hash, without compiled code."""
    import dill  # noqa: PLC0415 - it takes a while, and few runs need it

    class Pickler(dill.Pickler):  # type: ignore[misc] # dill ships no type information
        def reducer_override(self, value: Any) -> Any:
            """Pickles a bot's `Options`, as dill knows no structs of msgspec."""
            if texts is not None:
                texts.append(_text_of(value))
                if isinstance(value, CodeType):
                    return str, ()
            is_struct = isinstance(value, type) and issubclass(value, msgspec.Struct)
            return _struct_parts(value) if is_struct and not _is_importable(value) else NotImplemented

        def _batch_setitems(self, items: Any, *more: Any) -> None:
            super()._batch_setitems([item for item in items if item[0] != _LINE], *more)

    file = BytesIO()
    Pickler(file, recurse=True).dump(value)
    return file.getvalue()


def _struct_parts(kind: type[msgspec.Struct]) -> tuple[Any, ...]:
    fields = [(each.name, each.type, each.default, each.default_factory) for each in msgspec.structs.fields(kind)]
    own = {name: value for name, value in vars(kind).items() if isinstance(value, FunctionType | property)}
    return _struct, (kind.__name__, fields, kind.__bases__, own, kind.__struct_config__.frozen)


def _struct(name: str, fields: Any, bases: Any, own: Any, frozen: bool) -> type[msgspec.Struct]:
    fields = [
        (key, of_type, msgspec.field(default=default, default_factory=make))  # type: ignore[call-overload]
        for key, of_type, default, make in fields
    ]
    return msgspec.defstruct(name, fields, bases=bases, namespace=own, frozen=frozen, module=__name__)


def use_of(kind: type[Any]) -> str:
    """The `use` of an entrant whose class is sent to the workers."""
    return f"{BY_VALUE}{kind.__qualname__}"


def load_class(bot: PickledBot, use: str) -> BotPlugin:
    """Loads a bot from its pickled class; a `PluginError` if it cannot be loaded in this process."""
    import dill  # noqa: PLC0415 - it takes a while, and few runs need it

    try:
        kind = dill.loads(bot.code)  # noqa: S301 - this program has pickled it for this run
    except Exception as error:
        raise PluginError(f'bot "{use}" cannot be loaded in a worker: {in_one_line(error)}; fix it') from error
    return bot_plugin(kind, f'bot "{use}"', use, Path())


def loaded(use: str, folder: Path, sent: PickledBot | None) -> BotPlugin:
    """Loads a bot from its class if `sent`, or else by its `use`, relative to the folder."""
    return load_bot(use, folder) if sent is None else load_class(sent, use)


def code_hash(kind: type[Any]) -> str:
    """The hash over a class as sent: its compiled code, plain values, and the names of its imports."""
    parts: list[str] = []
    _dumped(kind, parts)  # in an order that depends on hashes of texts
    return hashlib.sha256("\0".join(sorted(parts)).encode(errors="surrogatepass")).hexdigest()


def _text_of(value: Any, around: tuple[int, ...] = ()) -> str:
    """The text for a value in the hash: nothing for other objects, whose parts dill also visits."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, type | FunctionType) and _is_importable(value):
        return f"{value.__module__}.{value.__qualname__}"
    if id(value) in around:
        return ""
    around = (*around, id(value))
    if isinstance(value, CodeType):  # without its file and its lines
        return " ".join([value.co_code.hex(), *value.co_names, _text_of(value.co_consts, around)])
    if isinstance(value, dict):
        value = frozenset(
            [f"{_text_of(key, around)}: {_text_of(each, around)}" for key, each in value.items() if key != _LINE]
        )
    if isinstance(value, set | frozenset):
        return str(sorted([_text_of(each, around) for each in value]))
    return str([_text_of(each, around) for each in value]) if isinstance(value, list | tuple) else ""


def _is_importable(value: Any) -> bool:
    module = sys.modules.get(value.__module__)
    if module is None or module.__name__ in ("__main__", "__mp_main__"):
        return False
    current: Any = module
    for part in value.__qualname__.split("."):
        current = getattr(current, part, None)
    return current is value
