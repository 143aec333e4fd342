"""Harnesses to compare: everything on, and one part at a time left out."""

from collections.abc import Mapping

__all__ = ["ABLATIONS", "VARIANTS", "settings_of"]

_SYNTAX = "ROOMCODE_SWITCHES_CONSTRAINT_SYNTAX"
_OPENING = "ROOMCODE_SWITCHES_CONSTRAINT_OPENING"
_GROUNDING = "ROOMCODE_SWITCHES_CONSTRAINT_GROUNDING"
_REPAIRS = "ROOMCODE_SWITCHES_REPAIRS"
_HINTS = "ROOMCODE_SWITCHES_HINTS"
_CHECK = "ROOMCODE_SWITCHES_FINISH_CHECK"
_FORM = "ROOMCODE_FORM"
_SUPPLY = "ROOMCODE_SUPPLY"
_FIRST_CALL = "ROOMCODE_FIRST_CALL"
_ATTEMPTS = "ROOMCODE_ATTEMPTS"

_OFF = "false"
_NO_CONSTRAINT = {_SYNTAX: _OFF, _OPENING: _OFF, _GROUNDING: _OFF}

VARIANTS: Mapping[str, Mapping[str, str]] = {
    "everything": {},
    "no-grounding": {_GROUNDING: _OFF},
    "form-xml": {_FORM: "xml"},
    "form-json": {_FORM: "json"},
    "no-opening": {_OPENING: _OFF},
    "no-constraint": _NO_CONSTRAINT,
    "no-repairs": {_REPAIRS: _OFF},
    "no-hints": {_HINTS: _OFF},
    "no-finish-check": {_CHECK: _OFF},
    "names-only": {_SUPPLY: "names"},
    "no-supply": {_SUPPLY: "none"},
    "no-plan": {_FIRST_CALL: "on"},
    "no-first-call": {_FIRST_CALL: "off"},
    **{f"attempts-{number}": {_ATTEMPTS: str(number)} for number in (1, 2, 4, 8)},
    "plain": {
        **_NO_CONSTRAINT,
        **dict.fromkeys((_REPAIRS, _HINTS, _CHECK), _OFF),
        _SUPPLY: "none",
        _FIRST_CALL: "off",
        _ATTEMPTS: "1",
    },
}
"""Name of a variant to the environment variables that make it."""

ABLATIONS = tuple(VARIANTS)
"""All of them. One of the two forms is the model's own, so its row repeats `everything`."""


def settings_of(variant: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Variables of a variant and those given besides. Raises KeyError for an unknown variant."""
    return {**VARIANTS[variant], **extra}
