"""Imports modules from folders that cannot be listed: the sandbox shows a package, and not what lies beside it.

Python looks for modules in the list of a folder's files; this finder looks for each file by its name. The command of
`launcher.python_command` runs this file first, before anything of ours can be imported.
"""

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType


class UnlistedFinder:
    """Finds packages and modules where the usual finders have found none."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, _target: ModuleType | None = None) -> ModuleSpec | None:
        """Returns the spec of the module of that name, or None if there is no file for it."""
        last = name.rpartition(".")[2]
        for folder in sys.path if path is None else path:
            package = os.path.join(folder, last)
            module = os.path.join(package, "__init__.py")
            if os.path.isfile(module):
                return spec_from_file_location(name, module, submodule_search_locations=[package])
            if os.path.isfile(f"{package}.py"):
                return spec_from_file_location(name, f"{package}.py")
        return None


sys.meta_path.append(UnlistedFinder)
