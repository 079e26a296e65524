"""Bots in files and folders, FILE.py:NAME and FOLDER:NAME: finds them, imports them, and finds the name in them.

Each unit (`bot_imports.Unit`) has a unique module name in this process, so two versions of a bot do not mix, and
neither mixes with an installed one.
"""

import builtins
import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from functools import cache, partial, wraps
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from tourney.base.errors import PluginError, did_you_mean
from tourney.plugins import bot_imports, handed_in
from tourney.plugins.bot_imports import Unit
from tourney.plugins.failures import in_one_line, place

_find_spec = importlib.util.find_spec
_units: dict[str, "_LoadedUnit"] = {}


def find(base: Path, file: str, use: str) -> Unit:
    """The unit of the bot that `use` names in a file or folder, relative to the folder `base`, or a `PluginError`."""
    try:
        path = handed_in.named(file, base)
        if path.is_file() or path.is_dir():
            return bot_imports.bot_unit(path)
    except PluginError as error:
        raise PluginError(f'no bot "{use}": {error}') from None
    except OSError as error:
        raise PluginError(f'no bot "{use}": {error.strerror}; give another path') from None
    raise PluginError(
        f'no bot "{use}": there is no file or folder {path}; paths are relative to the file that names them'
    )


def load(unit: Unit, attribute: str, use: str) -> Any:
    """The object with a name in a bot's module, which is imported; or a `PluginError`."""
    module, path = _module_of(unit), unit.file
    if not hasattr(module, attribute):
        names = [name for name, value in vars(module).items() if hasattr(value, "act")]
        is_package = path.name == "__init__.py"
        file = f"{path.parent.name}/{path.name}" if is_package else path.name
        modules = sorted(path.parent.glob("*.py")) if is_package else []
        own = next((each.stem for each in modules if attribute in bot_imports.bot_classes(each)), "")
        remedy = f"put `from .{own} import {attribute}` there" if own else did_you_mean(attribute, names)
        raise PluginError(f'no bot "{use}": {file} has no "{attribute}"; {remedy}')
    return getattr(module, attribute)


class _LoadedUnit:
    def __init__(self, unit: Unit, name: str) -> None:
        self.root, self.own, self.name = unit.root.resolve(), unit.name, name
        self.files = {str(file) for file in unit.beside}  # everything else in a file's unit
        module = name + unit.module.removeprefix(unit.name)
        self._packages = dict.fromkeys([module, module.rpartition(".")[0] or name, name])
        self._others: set[str] = set()  # modules that it may import from elsewhere

    def module(self, name: str) -> str | None:
        """The name of a unit's module here; None if the unit does not have it."""
        first, dot, rest = name.partition(".")
        if first in sys.stdlib_module_names or name in self._others:
            return None
        beside = [f"{package}.{first}" for package in self._packages if self._has(f"{package}.{first}")]
        if first == self.own and (rest or not beside):
            return f"{self.name}{dot}{rest}"
        if beside:
            return f"{beside[0]}{dot}{rest}"
        spec = PathFinder.find_spec(first)  # the unit may have put its folders into sys.path
        file = Path(spec.origin).resolve() if spec is not None and spec.has_location and spec.origin else None
        if file is None or not bot_imports.is_in(file, self.root):
            return None
        parts = file.relative_to(self.root).with_suffix("").parts
        return ".".join([self.name, *(parts[:-1] if parts[-1] == "__init__" else parts)]) + dot + rest

    def check(self, name: str, items: Sequence[str] = ()) -> None:
        names = [each for each in (name, *[f"{name}.{item}" for item in items or ()]) if each not in self._others]
        for each in names:
            if (path := bot_imports.outside(each, self.root)) is not None:
                raise ImportError(bot_imports.refusal(name, path), name=name)
        self._others.update(names)

    def _has(self, module: str) -> bool:
        package = module.rpartition(".")[0]
        if not hasattr(sys.modules.get(package), "__path__"):
            return False
        spec = _find_spec(module)
        return spec is not None and spec.origin is not None


class _UnitModules(SourceFileLoader):
    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None = None, _: object = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in _units:
            return None
        spec, unit = PathFinder.find_spec(name, path), _units[name.partition(".")[0]]
        if spec is not None and unit.root.is_file() and spec.origin not in unit.files:
            return None
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = cls(name, spec.loader.path)
        return spec

    def path_stats(self, path: str) -> Mapping[str, Any]:
        """Dates a file in nanoseconds: in seconds, bytecode of its previous version could be taken for its own."""
        status = os.stat(path)
        return {"mtime": status.st_mtime_ns, "size": status.st_size}

    def exec_module(self, module: ModuleType) -> None:
        own = partial(_import, _units[module.__name__.partition(".")[0]])
        vars(module)["__builtins__"] = vars(builtins) | {"__import__": own}
        super().exec_module(module)


def _import(
    unit: _LoadedUnit, name: str, globals: Mapping[str, Any] | None = None, locals: Mapping[str, Any] | None = None,  # noqa: A002 - those of `__import__`
    fromlist: Sequence[str] = (), level: int = 0,
) -> ModuleType:  # fmt: skip
    """`__import__` in a unit's modules: the unit's own modules come before installed ones."""
    if level == 0:
        own = unit.module(name)
        if own is not None:
            module = __import__(own, globals, locals, fromlist)
            return module if fromlist else sys.modules[own.removesuffix(name.partition(".")[2]).removesuffix(".")]
        unit.check(name, fromlist)
    return __import__(name, globals, locals, fromlist, level)


def _by_name(find: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function that finds a module by name, so that a unit that asks for itself finds itself."""

    @wraps(find)
    def found(name: str, package: str | None = None) -> Any:
        frame = sys._getframe(1)
        asker = unit = _unit_of(frame)
        while unit is None and frame.f_back is not None:  # a library may ask for it
            frame = frame.f_back
            unit = _unit_of(frame)
        if unit is None or name.startswith("."):
            return find(name, package)
        own = unit.module(name) if asker is unit or name.partition(".")[0] == unit.own else None
        if own is None and asker is unit:
            unit.check(name)
        return find(own or name, package)

    return found


def _unit_of(frame: FrameType) -> _LoadedUnit | None:
    return _units.get(str(frame.f_globals.get("__name__", "")).partition(".")[0])


@cache
def _module_of(unit: Unit) -> ModuleType:
    """Imports a unit's module, with the packages that it is in, under a unique name."""
    path = unit.file.parent if unit.file.name == "__init__.py" else unit.file
    name = f"{unit.root.stem.replace('.', '_')}_{hashlib.sha256(str(unit.root).encode()).hexdigest()[:12]}"
    if not unit.file.suffix == ".py":
        raise PluginError(f"{path} is not a Python file; a bot in a file is written FILE.py:NAME")
    if not _units:
        sys.meta_path.insert(0, _UnitModules)
        importlib.import_module = _by_name(importlib.import_module)
        importlib.util.find_spec = _by_name(_find_spec)
    _units.setdefault(name, _LoadedUnit(unit, name))
    try:
        with redirect_stdout(sys.stderr):
            return _imported(unit, name)
    except BaseException as error:  # a file may raise anything while it is imported
        for each in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
            del sys.modules[each]
        if isinstance(error, KeyboardInterrupt):  # the user's
            raise
        remedy = "install what it imports" if isinstance(error, ImportError) else "fix it"
        if isinstance(error, ImportError) and unit.root.is_file():
            remedy += ", or enter the folder of its modules as FOLDER:NAME"
        raise PluginError(f"{path} cannot be loaded: {in_one_line(error)}; {remedy}{place(error)}") from None


def _imported(unit: Unit, name: str) -> ModuleType:
    root, folder = unit.root, unit.root if unit.root.is_dir() else unit.root.parent
    file = root / "__init__.py" if root.is_dir() else root
    if name not in sys.modules and root.is_dir() and not file.exists():
        sys.modules[name] = module = ModuleType(name)
        module.__path__ = [str(folder)]
    elif name not in sys.modules:
        own = [str(folder)] if root.is_dir() or unit.beside else None
        spec = importlib.util.spec_from_file_location(
            name, file, loader=_UnitModules(name, str(file)), submodule_search_locations=own
        )
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    __import__(module_name := name + unit.module.removeprefix(unit.name))
    return sys.modules[module_name]
