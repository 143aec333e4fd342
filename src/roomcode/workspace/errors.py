"""What can go wrong with a file, said so that a small model and a person both know what to do next."""

import errno

from roomcode.protocol.tools import HintKind

__all__ = ["WorkspaceError", "explain"]


class WorkspaceError(Exception):
    """A file operation that was refused or failed; nothing was changed.

    The message is complete: short, concrete, with one next action. `hint` is the hint that helps a model that fails
    like this again.
    """

    def __init__(self, message: str, hint: HintKind | None = None) -> None:
        super().__init__(message)
        self.hint = hint


_CAUSES = {
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the disk is read-only",
    errno.EIO: "the disk reported an error",
    errno.ENOENT: "it does not exist",
    errno.EEXIST: "it exists already",
    errno.EISDIR: "it is a folder, not a file",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "it is a link that leads back to itself",
    errno.EMFILE: "too many files are open",
    errno.EFBIG: "the file would be too large",
    errno.EBUSY: "another program holds it",
    errno.ETXTBSY: "it is a program that is running",
}


def explain(error: OSError) -> str:
    """The cause of a failed system call, as the end of a sentence, without its full stop."""
    if error.errno in _CAUSES:
        return _CAUSES[error.errno]
    return (error.strerror or str(error) or type(error).__name__).lower()
