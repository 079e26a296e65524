"""The public API behind `import tourney`; names that docs/api.md does not list are private."""
