"""Golden matches: whole matches of every game, with the record and the trace that they must give again."""
