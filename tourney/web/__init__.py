"""Web pages: live runs, and seats at a table."""

from importlib.util import find_spec

from tourney.base.errors import MissingExtraError

if missing := [name for name in ("starlette", "uvicorn") if find_spec(name) is None]:
    raise MissingExtraError("the web server", "web", " and ".join(missing))
