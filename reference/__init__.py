"""Writes ``docs/reference`` from doc comments, docstrings and tables: ``python -m reference docs/reference``."""
