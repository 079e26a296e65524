"""Builds the package, with the documentation and its examples in it, and compiles the modules that play matches.

They are compiled by mypyc wherever there is a C compiler; TOURNEY_COMPILE=0 leaves them as they are, and with
TOURNEY_COMPILE=1 a build that cannot compile fails. An editable installation is never compiled.

Compiled or not, the sources and what they do are the same. Run as a script, it compiles the checkout (`make compile`).
"""

import ast
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGES = ("docs/*.md", "docs/rules/*.md", "docs/*.ipynb", "configs/**/*.toml", "bots/wire/*.*")
"""What `tourney docs` shows: pages, and files to start from. In a wheel they are in tourney/docs/."""
VARIABLE = "TOURNEY_COMPILE"
PACKAGES = {"tourney": "tourney", "tourney_bots": "bots/tourney_bots"}
"""Where the packages of a wheel are in the checkout."""
COMPILED = (
    "tourney/contracts/encoding.py",
    "tourney/contracts/rng.py",
    "tourney/contracts/state.py",
    "tourney/games/tricks.py",
    "tourney/games/leon/rules.py",
    "tourney/games/leon/state.py",
    "tourney/games/leon/imagine.py",
    "tourney/games/vole/rules.py",
    "tourney/games/vole/state.py",
    "tourney/games/vole/imagine.py",
    "tourney/games/voleur/rules.py",
    "tourney/games/voleur/state.py",
    "tourney/games/voleur/imagine.py",
    "tourney/games/bang/rules.py",
    "tourney/games/bang/state.py",
    "tourney/games/bang/imagine.py",
    "tourney/games/cold_blooded/rules.py",
    "tourney/games/cold_blooded/state.py",
    "tourney/games/cold_blooded/imagine.py",
    "tourney/hosts/process/bot.py",
    "tourney/hosts/process/server.py",
    "tourney/hosts/clocks.py",
    "tourney/hosts/process/protocol.py",
    "tourney/contracts/playouts.py",
    "tourney/table/table.py",
    "tourney_bots/policies/bang.py",
    "tourney_bots/policies/cold_blooded.py",
    "tourney_bots/policies/leon.py",
    "tourney_bots/policies/vole.py",
    "tourney_bots/policies/voleur.py",
    "tourney_bots/seer/budget.py",
    "tourney_bots/seer/playouts.py",
    "tourney_bots/seer/values.py",
)
"""The modules that are compiled, by their paths in a wheel.

Views and options are left out, because mypyc cannot compile structs of msgspec, and `__init__` files, because a
compiled one cannot import the modules of its own folder.
"""
FLAGS = ["-fvisibility=hidden", "-fno-plt"]
"""Flags of the C compiler. Other libraries call nothing in ours, so its functions can call each other directly."""


WAITING = f"compiling {len(COMPILED)} modules, which takes a minute or two"


class Compile(BuildHookInterface[Any]):
    """Adds the pages and the compiled modules to a wheel. An editable one has those that stand beside the sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the pages, and the compiled modules."""
        if version == "editable":
            return
        root = Path(self.root)
        shown = [path.relative_to(root) for pattern in PAGES for path in root.glob(pattern)]
        for path in shown:
            # a file of Python would be one of the package, whose fingerprint must be that of the checkout
            name = str(path).removeprefix("docs/") + ".example" * (path.suffix == ".py")
            build_data["force_include"][str(root / path)] = f"tourney/docs/{name}"
        if not to_be_compiled():
            return
        say(WAITING)
        try:
            made = compiled(Path(self.root), Path(self.directory) / "compiled")
        except subprocess.CalledProcessError:
            if _asked() == "1":
                raise
            say("the modules could not be compiled; tourney stays pure Python")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["force_include"] |= {str(path): str(name) for name, path in made.items()}


def say(text: str) -> None:
    """Prints a line to stderr at once, and on the user's terminal as well, as pip keeps back what a build prints."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
    if not sys.stderr.isatty():
        with suppress(OSError), open("/dev/tty", "w", encoding="utf-8") as terminal:
            terminal.write(f"\n{text}\n")


def missing_compiler() -> str | None:
    """Returns what is missing to compile, as a message for the user, or None."""
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        return f"there is no C compiler ({compiler}); tourney stays pure Python"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "there are no headers of Python; tourney stays pure Python"
    return None


def compiled(root: Path, target: Path, level: int = 3) -> dict[Path, Path]:
    """Compiles the modules of `root` into the folder `target`; returns the files by their paths in a wheel.

    `root` is a checkout, or a folder with the packages of a wheel. `level` is the optimization level of the C compiler,
    0 to 3.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for package, path in PACKAGES.items():
            source = root / path if (root / path).is_dir() else root / package
            shutil.copytree(source, folder / package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        # what is compiled uses the names for authors alone; through others the compiler would read all the rest
        (folder / "tourney" / "__init__.py").write_text(_names_for_authors(root), encoding="utf-8")
        command = [sys.executable, str(Path(__file__).resolve()), str(level), *COMPILED]
        subprocess.run(command, cwd=folder, check=True, stdout=sys.stderr)  # noqa: S603 - it is this file
        names = [path.relative_to(folder) for path in sorted(folder.rglob("*.so")) if "build" not in path.parts]
        for path in names:
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / path, target / path)
    return {path: target / path for path in names}


def _names_for_authors(root: Path) -> str:
    """Returns the imports of `tourney/__init__.py` from the contracts and the plugins."""
    tree = ast.parse((root / "tourney" / "__init__.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return (
        "\n".join(
            ast.unparse(node)
            for node in imports
            if str(node.module).startswith(("tourney.contracts", "tourney.plugins"))
        )
        + "\n"
    )


def _asked() -> str:
    """Returns what the user says of compiling: "1", "0", or nothing."""
    return os.environ.get(VARIABLE, "")


def to_be_compiled() -> bool:
    """Returns whether wheels are compiled: as the user says, else where there is a compiler."""
    return _asked() == "1" or (_asked() != "0" and missing_compiler() is None)


def compile_here(level: str, paths: list[str]) -> None:
    """Compiles files of the current folder; the compiled modules stand beside them."""
    from mypyc.build import mypycify  # noqa: PLC0415 - needed only to compile
    from setuptools import setup  # noqa: PLC0415

    extensions = mypycify(
        ["--ignore-missing-imports", *paths], opt_level=level, debug_level="0", group_name="tourney.games"
    )
    for extension in extensions:
        extension.extra_compile_args += FLAGS
    setup(name="tourney", ext_modules=extensions, packages=[], script_args=["--quiet", "build_ext", "--inplace"])


def main() -> None:
    """Compiles the modules of the checkout that this file belongs to."""
    root = Path(__file__).resolve().parent.parent
    if (missing := missing_compiler()) is not None:
        sys.exit(missing)
    say(WAITING)
    with tempfile.TemporaryDirectory() as name:
        for path, file in compiled(root, Path(name)).items():
            package, *rest = path.parts
            shutil.copy(file, root.joinpath(PACKAGES[package], *rest))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compile_here(sys.argv[1], sys.argv[2:])
    else:
        main()
