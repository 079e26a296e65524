"""The pages of the documentation site that are not in docs/, for mkdocs.

These are the README, the changelog, the tournaments of configs/ and the generated reference; links from docs/ into the
repository lead to them. Pages of earlier versions redirect to the present ones.
"""

import ast
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from tourney.cli.commands.docs import MOVED

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = {
    "docs/": "",
    "../CHANGELOG.md": "changelog.md",
    "CHANGELOG.md": "changelog.md",
    "../README.md": "install.md",
    "../configs": "configs.md",
}
"""Prefixes of links in the repository, and in the site."""
TOOLS = ("tourney.games.tricks", "tourney.testing")
"""The modules for authors that are not part of `import tourney`."""


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that are made here."""
    made = {
        "install.md": (ROOT / "README.md").read_text(encoding="utf-8"),
        "changelog.md": (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        "configs.md": _tournaments(),
        "assets/iframe-worker.js": (ROOT / ".ci" / "iframe-worker.js").read_text(encoding="utf-8"),
        "reference/api.md": "# The API\n\n" + "\n\n".join([f"::: {name}" for name in _api_names()]),
        "reference/tools.md": "# Tools for authors\n\n" + "\n\n".join([f"::: {module}" for module in TOOLS]),
        "reference/commands.md": "# The commands\n\n"
        "::: mkdocs-click\n    :module: tourney.cli.main\n    :command: main\n    :prog_name: tourney\n    :depth: 1\n",
    }
    for old, page in MOVED.items():
        if old.lower() != page:  # else they are one file on some systems
            address = re.sub("#|$", r".html\g<0>", page, count=1)
            made[f"{old}.html"] = f'<meta http-equiv="refresh" content="0; url={address}">'
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Returns the text of a page with links that lead to pages of the site."""
    for before, after in OUTSIDE.items():
        markdown = markdown.replace(f"]({before}", f"]({after}")
    return markdown


def _tournaments() -> str:
    """Returns the page of the tournaments in configs/."""
    parts = ["# Tournaments to run\n\nThe files of `configs/`, each for `tourney run`."]
    files = sorted((ROOT / "configs").glob("*.toml"))
    parts += [f"## {path.stem}\n\n```toml\n{path.read_text(encoding='utf-8').strip()}\n```" for path in files]
    return "\n\n".join(parts)


def _api_names() -> list[str]:
    """Returns where each name of the API is defined, in the order in which docs/api.md would be read: by module."""
    tree = ast.parse((ROOT / "tourney" / "__init__.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 0]
    return [f"{node.module}.{name.name}" for node in imports for name in node.names if node.module != "importlib"]
