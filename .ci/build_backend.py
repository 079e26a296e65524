"""The build backend: hatchling's, which is given a compiler's packages as well where a wheel is to be compiled.

An editable installation is never compiled, and so does not need them; hatchling cannot tell the two apart.
"""

import tomllib
from pathlib import Path
from typing import Any

from hatch_build import to_be_compiled
from hatchling import build
from hatchling.build import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Returns what the build of a wheel needs besides hatchling: mypyc, and what the compiled modules import."""
    needed: list[str] = build.get_requires_for_build_wheel(config_settings)
    if not to_be_compiled():
        return needed
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*needed, "mypy>=1.13", "setuptools", *project["dependencies"]]
