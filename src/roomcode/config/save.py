"""Changing one setting in a config file, while everything else in it stays as the person wrote it."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roomcode.config.load import ConfigError, Key, from_text, keys, read_file

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

__all__ = ["as_text", "change"]


def as_text(value: Any) -> str:
    """A value as `change`, the environment and the command line take it; empty for one that is not set."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) if isinstance(value, list | tuple) else str(value)


def change(path: Path, name: str, text: str) -> None:
    """Set `name` in the config file at `path` to what `text` says; empty text takes it out of the file.

    The file is made if there is none; comments and order stay, and so does a link to a file elsewhere. Raises
    ConfigError for a wrong value and for a file that cannot be read or written; then nothing changed.
    """
    known = keys()
    if name not in known:
        raise ConfigError(f"There is no setting {name!r}; `roomcode config` lists them.")
    key = known[name]
    value = from_text(key, text.strip(), "") if text.strip() else None
    path = Path(os.path.realpath(path))
    before = read_file(path, known)
    if before is None and value is None:
        return
    try:
        old = path.read_bytes().decode() if before is not None else ""
        new = _changed(old, key, value)
        expected = {**(before or {}), name: value}
        _write(path, new, known, {key: found for key, found in expected.items() if found is not None})
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({(error.strerror or str(error)).lower()}).") from None


def _changed(old: str, key: Key, value: Any) -> str:
    import tomlkit

    document = tomlkit.parse(old)
    table, _, name = key.name.rpartition(".")
    if value is None:
        _remove(document, table, name)
    else:
        if table and table not in document:
            document[table] = tomlkit.table()
        place: Any = document[table] if table else document
        place[name] = list(value) if isinstance(value, tuple) else value
    return tomlkit.dumps(document)


def _remove(document: "TOMLDocument", table: str, name: str) -> None:
    place: Any = document.get(table) if table else document
    if place is not None and name in place:
        del place[name]


def _write(path: Path, text: str, known: dict[str, Key], expected: dict[str, Any]) -> None:
    """Replace the file as a whole, once it is certain that it says what it should and nothing else."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(part, "x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with suppress(OSError):
            os.chmod(part, path.stat().st_mode & 0o7777)
        try:
            found = read_file(part, known)
        except ConfigError:
            found = None
        if found != expected:
            raise ConfigError(f"{path} is written in a way that cannot be changed here: change it in an editor.")
        os.replace(part, path)
    finally:
        with suppress(OSError):
            os.unlink(part)
