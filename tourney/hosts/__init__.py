"""Hosts: where bots run, in the worker's process or in their own."""
