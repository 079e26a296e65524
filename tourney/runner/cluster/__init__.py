"""Tournaments on several machines: what a worker on another machine shows, and what it is sent."""
