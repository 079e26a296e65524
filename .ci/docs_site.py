"""What the site of the documentation has besides docs/, for mkdocs.

The README is its first page. The changelog, the tournaments of configs/ and the reference of commands, API and
tools for authors are pages of their own; links that lead out of docs/ in the repository lead to these.
"""

import ast
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = {
    "docs/": "",
    "../CHANGELOG.md": "changelog.md",
    "CHANGELOG.md": "changelog.md",
    "../README.md": "index.md",
    "../configs": "configs.md",
}
"""What links begin with in the repository, and in the site."""
TOOLS = ("tourney.games.tricks", "tourney.testing")
"""The modules for authors whose names are not at the top of the package."""


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that are made here."""
    made = {
        "index.md": (ROOT / "README.md").read_text(encoding="utf-8"),
        "changelog.md": (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        "configs.md": _tournaments(),
        "assets/iframe-worker.js": (ROOT / ".ci" / "iframe-worker.js").read_text(encoding="utf-8"),
        "reference/api.md": "# The API\n\n" + "\n\n".join([f"::: {name}" for name in _api_names()]),
        "reference/tools.md": "# Tools for authors\n\n" + "\n\n".join([f"::: {module}" for module in TOOLS]),
        "reference/commands.md": "# The commands\n\n"
        "::: mkdocs-click\n    :module: tourney.cli.main\n    :command: main\n    :prog_name: tourney\n    :depth: 1\n",
    }
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
