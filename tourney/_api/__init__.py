"""What `import tourney` offers; docs/api.md is its page, and what that does not name is private."""
