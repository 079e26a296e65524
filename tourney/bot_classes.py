"""Bots whose class is sent to the workers by value, as it lives in a script, in a notebook or in a function.

What the class uses of its module goes with it; what can be imported is imported there. Its fingerprint is that of the
code that it is made of: the source where it can be had, else the compiled code.
"""

import dis
import hashlib
import inspect
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from textwrap import dedent
from types import CodeType, FunctionType, ModuleType
from typing import Any

import msgspec

from tourney import fingerprints
from tourney.errors import PluginError
from tourney.load_failures import in_one_line
from tourney.plugins import BY_VALUE, BotPlugin, bot_plugin

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...))
_WRAPPED = ("__func__", "fget", "fset", "fdel", "func")
"""Where static methods, class methods, properties and cached properties have their functions."""
_FOREIGN = ("site-packages", "dist-packages")
"""The folders of what is installed, which is named in a fingerprint and not read for it."""


class PickledBot(msgspec.Struct, frozen=True):
    """A class of bots, ready to be sent to a worker."""

    code: bytes
    """The class, pickled by dill."""
    sha256: str
    """The fingerprint of its code; see `code_hash`."""


def pickled(kind: type[Any]) -> PickledBot:
    """Pickles a class of bots.

    Raises:
        PluginError: It uses something that cannot be sent to another process, such as an open file.
    """
    bot_plugin(kind, kind.__qualname__, use_of(kind), Path())
    try:
        return PickledBot(_dumped(kind), code_hash(kind))
    except Exception as error:
        raise PluginError(
            f"bot {kind.__name__} cannot be sent to workers: {in_one_line(error)}; make in its start what it needs, or "
            f"write it into a file, and enter it as FILE.py:{kind.__name__}"
        ) from error


def _dumped(value: Any) -> bytes:
    """Returns a value as dill pickles it, with all that it uses of a module that cannot be imported."""
    import dill  # noqa: PLC0415 - it takes a while, and few runs need it

    class Pickler(dill.Pickler):  # type: ignore[misc] # dill ships no type information
        def reducer_override(self, value: Any) -> Any:
            """Pickles a bot's `Options`, as dill knows no structs of msgspec."""
            is_struct = isinstance(value, type) and issubclass(value, msgspec.Struct)
            return _struct_parts(value) if is_struct and not _is_importable(value) else NotImplemented

    file = BytesIO()
    Pickler(file, recurse=True).dump(value)
    return file.getvalue()


def _struct_parts(kind: type[msgspec.Struct]) -> tuple[Any, ...]:
    """Returns what `_struct` makes the class of a struct from."""
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
    """Returns what an entrant's `use` says of a class that is sent along."""
    return f"{BY_VALUE}{kind.__qualname__}"


def load_class(bot: PickledBot, use: str) -> BotPlugin:
    """Loads a bot from its pickled class.

    Raises:
        PluginError: It cannot be loaded in this process.
    """
    import dill  # noqa: PLC0415 - it takes a while, and few runs need it

    try:
        kind = dill.loads(bot.code)  # noqa: S301 - this program has pickled it for this run
    except Exception as error:
        raise PluginError(f'bot "{use}" cannot be loaded in a worker: {in_one_line(error)}; mend it') from error
    return bot_plugin(kind, f'bot "{use}"', use, Path())


def code_hash(kind: type[Any]) -> str:
    """Returns the hash over the code of a class, and over all that it uses and that goes to the workers with it.

    It depends on the source, or where there is none on the compiled code, and on no address in memory. Of modules that
    are installed the name counts; of others, such as a file beside the script, the source.
    """
    digest = _Digest()
    digest.add(kind)
    return digest.hexdigest()


class _Digest:
    """A hash over values and the code that they are made of."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._known: dict[int, tuple[int, Any]] = {}  # by id, with the value, so that no other one gets the id

    def hexdigest(self) -> str:
        return self._hash.hexdigest()

    def _note(self, *texts: str) -> None:
        for text in texts:
            self._hash.update(text.encode(errors="surrogatepass") + b"\0")

    def add(self, value: Any) -> None:
        """Adds a value; one that was added before, by its number."""
        if isinstance(value, _PLAIN):
            self._note(repr(value))
        elif isinstance(value, tuple):
            self._note(type(value).__name__, str(len(value)))
            self._add_all(value)
        elif id(value) in self._known:
            self._note("known", str(self._known[id(value)][0]))
        else:
            self._known[id(value)] = len(self._known), value
            self._note(type(value).__qualname__)
            self._add_new(value)

    def _add_all(self, values: Any) -> None:
        for value in values:
            self.add(value)

    def _add_new(self, value: Any) -> None:
        if isinstance(value, ModuleType):
            self._add_module(value.__name__)
        elif isinstance(value, type | FunctionType) and _is_importable(value):
            self._note(value.__qualname__)
            self._add_module(value.__module__)
        elif isinstance(value, FunctionType):
            self._add_function(value)
        elif isinstance(value, type):
            self._note(value.__name__)
            self._add_all(value.__bases__)
            self._add_members(vars(value))
        elif isinstance(value, list):
            self._add_all(value)
        elif isinstance(value, dict):
            self._add_all(value.items())
        elif isinstance(value, set | frozenset):
            self._note(*sorted(map(repr, value)))
        elif wrapped := [found for name in _WRAPPED if (found := getattr(value, name, None)) is not None]:
            self._add_all(wrapped)
        elif type(value).__module__ != "builtins" and not _is_importable(type(value)):
            self.add(type(value))
            self._add_members(getattr(value, "__dict__", {}))
        else:
            self._add_other(value)

    def _add_function(self, function: FunctionType) -> None:
        try:
            self._note(dedent(inspect.getsource(function)))
        except (OSError, TypeError):
            self._add_code(function.__code__)
        self._add_all([function.__defaults__, function.__kwdefaults__])
        for cell in function.__closure__ or ():
            try:
                self.add(cell.cell_contents)
            except ValueError:  # it is still empty
                self._note("empty")
        for name in sorted(set(_global_names(function.__code__))):
            if name in function.__globals__:
                self._note(name)
                self.add(function.__globals__[name])

    def _add_code(self, code: CodeType) -> None:
        self._note(code.co_code.hex(), *code.co_names, *code.co_varnames, *code.co_freevars)
        for value in code.co_consts:
            if isinstance(value, CodeType):
                self._add_code(value)
            else:
                self.add(value)

    def _add_members(self, members: Any) -> None:
        """Adds attributes; of those that Python itself sets, the functions and the annotations alone."""
        for name in sorted(members):
            value = members[name]
            if name.startswith("__") and name != "__annotations__" and not isinstance(value, FunctionType):
                continue
            self._note(name)
            if type(value).__name__ != "member_descriptor":
                self.add(value)

    def _add_module(self, name: str) -> None:
        self._note(name)
        package, file = name.partition(".")[0], getattr(sys.modules.get(name), "__file__", None)
        if package in sys.stdlib_module_names or package == "tourney" or not file or not file.endswith(".py"):
            return
        if not set(_FOREIGN).intersection(Path(file).parts):
            self._note(fingerprints.fingerprint("", fingerprints.file_and_imports(Path(file))).sha256)

    def _add_other(self, value: Any) -> None:
        self._note(hashlib.sha256(_dumped(value)).hexdigest())


def _is_importable(value: Any) -> bool:
    """Tells whether a class or function is found in its module, so that a worker can import it."""
    module = sys.modules.get(value.__module__)
    if module is None or module.__name__ in ("__main__", "__mp_main__"):
        return False
    found: Any = module
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


def _global_names(code: CodeType) -> Iterator[str]:
    """Yields the names of the module that code uses, that of functions inside it included."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield step.argval
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _global_names(value)
