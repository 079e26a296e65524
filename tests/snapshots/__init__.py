"""What the commands print at 80 columns into a pipe, a file a case: the command, its output, its exit code."""
