"""Hosts: where bots run, in the worker's process or in one of their own."""
