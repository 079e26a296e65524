"""Bots in files, FILE.py:NAME: finds the file, imports it as a module, and finds the name in it."""

import hashlib
import importlib.util
import sys
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from tourney.errors import PluginError, did_you_mean
from tourney.load_failures import in_one_line, place


def find(base: Path, file: str, use: str) -> Path:
    """Returns the path of the file of the bot that `use` names; it may be relative to the folder `base`.

    Raises:
        PluginError: There is no such file.
    """
    path = (base / file).resolve()
    try:
        if path.is_file():
            return path
    except OSError as error:
        raise PluginError(f'no bot "{use}": {error.strerror}; give another path') from None
    raise PluginError(f'no bot "{use}": there is no file {path}; paths are relative to the file that names them')


def load(path: Path, attribute: str, use: str) -> Any:
    """Returns what a name stands for in the file of the bot that `use` names, which is imported as a module.

    Raises:
        PluginError: The file cannot be imported, or has no such name.
    """
    module = _module_of(path)
    if not hasattr(module, attribute):
        names = [name for name, value in vars(module).items() if hasattr(value, "act")]
        raise PluginError(f'no bot "{use}": {path.name} has no "{attribute}"; {did_you_mean(attribute, names)}')
    return getattr(module, attribute)


def module_name(path: Path) -> str:
    """Returns the name under which a file is imported as a module, which no other file has."""
    return f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"


@cache
def _module_of(path: Path) -> ModuleType:
    """Imports a file as a module, under a name that no other file has."""
    name = module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"{path} is not a Python file; a bot in a file is written FILE.py:NAME")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except BaseException as error:  # a file may raise anything while it is imported
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):  # the user's
            raise
        raise PluginError(f"{path} cannot be loaded: {in_one_line(error)}; mend it{place(error)}") from None
    return module
