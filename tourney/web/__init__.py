"""Web servers: pages of live runs, seats at a table, and Python bots."""

from importlib.util import find_spec

from tourney.base.errors import MissingExtraError

if missing := [name for name in ("starlette", "uvicorn") if find_spec(name) is None]:
    raise MissingExtraError("the web server", "web", " and ".join(missing))
