"""Names of keys for people."""

__all__ = ["key_name"]

_NAMES = {
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "underscore": "_",
}


def key_name(key: str) -> str:
    """`ctrl+j` as `Ctrl+J`; single letters stay as they are, since case matters there."""
    *modifiers, last = key.split("+")
    if last in _NAMES:
        last = _NAMES[last]
    elif len(last) > 1 or modifiers:
        last = last.capitalize()
    return "+".join([*(modifier.capitalize() for modifier in modifiers), last])
