"""The name of a content: equal contents have equal digests, whatever the file's time stamps say."""

import hashlib

__all__ = ["digest_of"]


def digest_of(data: bytes) -> str:
    """SHA-256, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()
