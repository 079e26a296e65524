"""Imports from folders that may not be listed: where landlock shows a package, it does not show what lies beside it.

Python finds modules in the list of a folder's files; here each name is looked up by itself. `sandbox.python_command`
runs this file before anything of ours can be imported.
"""

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType


class Unlisted:
    """Finds packages and modules in Python, wherever the usual finders have found none."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, _target: ModuleType | None = None) -> ModuleSpec | None:
        """The module's file, by its name alone."""
        last = name.rpartition(".")[2]
        for folder in sys.path if path is None else path:
            package = os.path.join(folder, last)
            module = os.path.join(package, "__init__.py")
            if os.path.isfile(module):
                return spec_from_file_location(name, module, submodule_search_locations=[package])
            if os.path.isfile(f"{package}.py"):
                return spec_from_file_location(name, f"{package}.py")
        return None


sys.meta_path.append(Unlisted)
