"""Pages that a server of ours gives: runs as they are played, and seats at a table."""

from importlib.util import find_spec

from tourney.base.errors import MissingExtraError

if missing := [name for name in ("starlette", "uvicorn") if find_spec(name) is None]:
    raise MissingExtraError("a server of pages", "web", " and ".join(missing))
