"""File names as text: how a name is shown, which spellings mean the same file, and which files are protected."""

import re
import unicodedata
from fnmatch import translate

__all__ = ["is_plain", "protection", "same_name", "shown"]

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def shown(name: str) -> str:
    """A name or relative path that is safe to print, to encode as UTF-8 and to give to a model.

    Control characters and bytes that are not UTF-8 become escapes such as `\\n` and `\\xe9`; all else stays.
    """
    if name.isascii() and name.isprintable():
        return name
    pieces = []
    for char in name:
        code = ord(char)
        if 0xDC80 <= code <= 0xDCFF:
            pieces.append(f"\\x{code - 0xDC00:02x}")
        elif char in _ESCAPES:
            pieces.append(_ESCAPES[char])
        elif 0xD800 <= code <= 0xDFFF or unicodedata.category(char) in ("Cc", "Zl", "Zp"):
            pieces.append(f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
        else:
            pieces.append(char)
    return "".join(pieces)


def same_name(wanted: str, name: str) -> bool:
    """Whether `wanted`, as a model or a person wrote it, means the existing `name`.

    Composed and decomposed accents are the same name, and so is a name as `shown` writes it.
    """
    if wanted == name:
        return True
    return shown(name) == wanted or unicodedata.normalize("NFC", wanted) == unicodedata.normalize("NFC", name)


def is_plain(name: str) -> bool:
    """Whether a new file may get this name: no control characters, no space at either end."""
    return name == name.strip() and not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in name)


_FOLDERS = frozenset({".git", ".ssh", ".gnupg", ".aws", ".roomcode"})
_SECRETS = re.compile(
    "|".join(
        translate(pattern)
        for pattern in (
            ".env*",
            "id_rsa*",
            "id_dsa*",
            "id_ecdsa*",
            "id_ed25519*",
            "*.pem",
            "*.key",
            "*.p12",
            "*.pfx",
            "*.jks",
            "*.keystore",
            "*.kdbx",
            "*.ppk",
            ".netrc",
            ".pgpass",
            ".git-credentials",
        )
    )
)


def protection(relative: str) -> str:
    """Why a path is protected ("belongs to git", "may hold secrets" ...), or "" when it is not.

    Protected files are never written by a tool, and shown to a model only after a person agreed. Upper and lower case
    do not matter, because on some disks they name the same file.
    """
    parts = [part.casefold().rstrip(" .") for part in relative.split("/")]
    for part in parts:
        if part == ".git":
            return "belongs to git"
        if part == ".roomcode":
            return "belongs to roomcode"
        if part in _FOLDERS:
            return "may hold keys"
    name = parts[-1]
    if _SECRETS.match(name) and not name.endswith(".pub"):
        return "may hold secrets"
    return ""
