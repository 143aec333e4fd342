"""roomcode: a terminal coding agent for small local models."""

__all__ = ["__version__"]

__version__ = "0.1.0"
