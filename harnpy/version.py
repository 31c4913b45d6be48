"""The version of harnpy."""

__version__ = "0.1.0"
