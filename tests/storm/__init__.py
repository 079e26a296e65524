"""The storm: runs whose processes are killed, stopped and signalled at random write the bytes of undisturbed runs."""
