"""What goes wrong with sessions, as sentences for the person."""

import errno

__all__ = ["SessionError", "reason_of"]


class SessionError(Exception):
    """A session cannot be used; the message is one sentence that says why and what to do."""


_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your share of the disk is used up",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "its folder may not be used",
    errno.EPERM: "its folder may not be used",
    errno.EIO: "the disk reports an error",
}


def reason_of(error: OSError) -> str:
    """Why the system refused, in a few words."""
    return _REASONS.get(error.errno or 0) or error.strerror or type(error).__name__
