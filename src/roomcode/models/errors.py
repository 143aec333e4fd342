"""The one error of this package."""

__all__ = ["ModelError"]


class ModelError(Exception):
    """A model file cannot be used or fetched; the message is one sentence that says why and what to do."""
