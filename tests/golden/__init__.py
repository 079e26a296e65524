"""Golden matches: for every game some whole matches, with the record and the trace that they came to."""
