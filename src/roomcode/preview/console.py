"""A page's log: equal lines folded, newest kept, bounded; and console arguments as text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from roomcode.preview.types import Entry

__all__ = ["ConsoleLog", "clip", "format_arguments", "format_value", "one_line"]

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
_DIRECTIVE = re.compile(r"%[csdifoOj%]")
_CUT_NOTE = " […{} characters…] "
_CUT_BEFORE = re.compile(r" \[…\d+ characters…\] ")
_LONGEST = 300
_TEXT_CUT = 200_000


class ConsoleLog:
    """Entries of one served page, in the order of their last occurrence. Not thread-safe."""

    def __init__(self, capacity: int = 400) -> None:
        self._capacity = capacity
        self._entries: dict[tuple[str, ...], Entry] = {}
        self._number = 0
        self.dropped = 0

    @property
    def cursor(self) -> int:
        """Number of the newest entry; entries after it will have higher ones."""
        return self._number

    def add(self, entry: Entry) -> tuple[str, ...]:
        """Add one line or fold it into its equal; the returned key takes it back with `revoke`."""
        key = _key(entry)
        before = self._entries.pop(key, None)
        self._number += 1
        self._entries[key] = entry.numbered(self._number, (before.count if before else 0) + entry.count)
        if len(self._entries) > self._capacity:
            self._drop()
        return key

    def revoke(self, key: tuple[str, ...]) -> None:
        """Take one occurrence back: a rejected promise was handled after all."""
        entry = self._entries.get(key)
        if entry is None:
            return
        if entry.count > 1:
            self._entries[key] = replace(entry, count=entry.count - 1)
        else:
            del self._entries[key]

    def since(self, cursor: int) -> list[Entry]:
        """Entries that are new or were repeated after `cursor`, newest last."""
        return [entry for entry in self._entries.values() if entry.number > cursor]

    def clear(self) -> None:
        """Forget the entries of an earlier load; numbers go on."""
        self._entries.clear()
        self.dropped = 0

    def _drop(self) -> None:
        # The first errors tell the cause, so plain lines go first, oldest first.
        victim = next((key for key, entry in self._entries.items() if entry.severity == "info"), None)
        victim = victim or next(key for key, entry in self._entries.items())
        del self._entries[victim]
        self.dropped += 1


def _key(entry: Entry) -> tuple[str, ...]:
    # A counter or clock in a plain line must not defeat the folding; in an error a number may be the point.
    text = _NUMBER.sub("#", entry.text) if entry.severity == "info" else entry.text
    return (entry.severity, entry.kind, text, entry.file, str(entry.line))


def one_line(text: str) -> str:
    """Foreign text as one line without control characters or terminal escapes."""
    text = _ESCAPES.sub("", clip(text, _TEXT_CUT))
    text = re.sub(r"\s*[\r\n\u2028\u2029]+\s*", " ⏎ ", text.strip())
    return "".join(char if char.isprintable() else " " for char in text).strip()


def clip(text: str, limit: int = _LONGEST) -> str:
    """`text` cut in the middle to `limit` characters, saying how long it was."""
    if len(text) <= limit:
        return text
    note = _CUT_NOTE.format(len(text))
    # A text that was cut before says how long it was at first.
    if earlier := _CUT_BEFORE.search(text):
        note = earlier.group()
        text = text[: earlier.start()] + text[earlier.end() :]
    head = (limit - len(note)) * 2 // 3
    return text[:head] + note + text[len(text) - (limit - len(note) - head) :]


def format_arguments(arguments: Sequence[Mapping[str, Any]]) -> str:
    """Console arguments (DevTools remote objects) as the text a console shows, with `%s`-style directives applied."""
    rest = list(arguments)
    if not rest:
        return ""
    parts: list[str] = []
    first = rest[0]
    if first.get("type") == "string" and "%" in (template := str(first.get("value", ""))) and len(template) < 10_000:
        rest = rest[1:]

        def fill(match: re.Match[str]) -> str:
            directive = match.group()
            if directive == "%%":
                return "%"
            if not rest:
                return directive
            value = rest.pop(0)
            return "" if directive == "%c" else format_value(value, quote=False)

        parts.append(_DIRECTIVE.sub(fill, template))
    parts.extend(format_value(value, quote=False) for value in rest)
    return clip(one_line(" ".join(parts)))


def format_value(value: Mapping[str, Any], *, quote: bool = True) -> str:
    """One remote object as short text: strings as they are, elements as `<div#id>`, objects by their first members."""
    kind, subtype = value.get("type"), value.get("subtype")
    if kind == "string":
        text = str(value.get("value", ""))
        return f'"{text}"' if quote else text
    if kind == "undefined" or subtype == "null":
        return str(subtype or kind)
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    if kind in ("number", "boolean"):
        return str(value.get("value")).lower() if kind == "boolean" else str(value.get("value"))
    description = str(value.get("description") or value.get("className") or kind)
    if kind == "function":
        return clip(description.partition("{")[0].strip(), 60)
    if subtype == "error":
        return description.partition("\n    at ")[0]
    if subtype in ("regexp", "date"):
        return description
    if subtype == "node":
        return f"<{description}>" if not description.startswith("#") else description
    preview = value.get("preview")
    return _preview(preview) if isinstance(preview, Mapping) else description


def _preview(preview: Mapping[str, Any]) -> str:
    members = list(preview.get("properties", ()))
    entries = list(preview.get("entries", ()))
    more = ", …" if preview.get("overflow") else ""
    description = str(preview.get("description", "Object"))
    if entries:
        pairs = [_entry(entry) for entry in entries]
        return f"{description} {{{', '.join(pairs)}{more}}}"
    if preview.get("subtype") in ("array", "typedarray"):
        items = [_member(member) for member in members if str(member.get("name", "")).isdigit()]
        return f"[{', '.join(items)}{more}]"
    if not members and description not in ("Object", ""):
        return description
    pairs = [f"{member.get('name')}: {_member(member)}" for member in members]
    name = "" if description == "Object" else f"{description} "
    return f"{name}{{{', '.join(pairs)}{more}}}"


def _entry(entry: Mapping[str, Any]) -> str:
    value = _short(entry.get("value", {}))
    return f"{_short(entry['key'])} => {value}" if "key" in entry else value


def _short(preview: Mapping[str, Any]) -> str:
    if preview.get("type") == "string":
        return f'"{preview.get("description", "")}"'
    description = str(preview.get("description", preview.get("type", "")))
    return "{…}" if description == "Object" else description


def _member(member: Mapping[str, Any]) -> str:
    kind, subtype = member.get("type"), member.get("subtype")
    text = str(member.get("value", ""))
    if kind == "string":
        return f'"{text}"'
    if kind == "object" and subtype is None:
        return "{…}" if text in ("Object", "") else text
    if subtype == "array":
        return text.replace("Array(", "[…](") if text else "[…]"
    if subtype == "node":
        return f"<{text}>"
    return "function" if kind == "function" else text or str(kind)
