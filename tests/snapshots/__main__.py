"""Renews the snapshots: `make golden`, or `python -m tests.snapshots`. Look at what changes before you commit it."""

from tests.snapshots.cases import renew

if __name__ == "__main__":
    renew()
