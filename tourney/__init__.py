"""Tournaments between card-game bots: play them in parallel, replay them exactly, rank them."""
