"""Settings from files, environment and flags, and where each one came from."""

import difflib
import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin

import msgspec

from roomcode.config.settings import Settings, Switches

__all__ = [
    "AT_ONCE",
    "DEFAULT",
    "ConfigError",
    "Key",
    "Resolved",
    "from_text",
    "keys",
    "load",
    "project_config_path",
    "read_file",
    "user_config_path",
]

DEFAULT = "default"
AT_ONCE = "at once"
_PREFIX = "ROOMCODE_"
_OTHER_VARIABLES = frozenset(["ROOMCODE_MODELS", "ROOMCODE_CONFIG"])
"""Variables that are not settings: the folder of models, and the path of the user's config file."""
_TRUE, _FALSE = frozenset(["true", "1", "yes", "on"]), frozenset(["false", "0", "no", "off"])


class ConfigError(Exception):
    """A setting is wrong; the message is one sentence that names the place, the key and what is expected."""


@dataclass(frozen=True, slots=True)
class Key:
    """One setting. `name` has its table in front, as in `switches.hints`."""

    name: str
    type: Any
    description: str
    expected: str
    default: Any
    applies: str = AT_ONCE
    """From when on a running roomcode goes by a new value."""

    @property
    def choices(self) -> tuple[str, ...]:
        """All right values as text, where they are few."""
        if isinstance(self.default, bool):
            return ("true", "false")
        literal = next((part for part in (self.type, *get_args(self.type)) if get_origin(part) is Literal), None)
        return get_args(literal)

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return _PREFIX + self.name.upper().replace(".", "_")

    @property
    def flag(self) -> str:
        return "--" + self.name.rpartition(".")[2].replace("_", "-")


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings in force. `origins` says for each key (in the order of `keys()`) where its value comes from."""

    settings: Settings
    origins: Mapping[str, str]
    files: tuple[Path, ...]
    """Config files that were read, in order."""
    warnings: tuple[str, ...] = ()
    """Sentences for the person: likely typing mistakes, and a project that loosens the rules."""

    def value(self, key: str) -> Any:
        """The value of a key as named in `keys()`."""
        table, _, name = key.rpartition(".")
        return getattr(getattr(self.settings, table) if table else self.settings, name)


def keys() -> dict[str, Key]:
    """All settings by name, in the order they are shown."""
    return {key.name: key for key in (*_keys_of(Settings, ""), *_keys_of(Switches, "switches."))}


def user_config_path(environ: Mapping[str, str] | None = None) -> Path:
    """The user's own config file: `ROOMCODE_CONFIG`, or config.toml in the user's config folder."""
    chosen = (os.environ if environ is None else environ).get("ROOMCODE_CONFIG", "")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return platformdirs.user_config_path("roomcode", appauthor=False) / "config.toml"


def project_config_path(project: Path) -> Path:
    """The project's config file."""
    return project / ".roomcode" / "config.toml"


def load(
    project: Path | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Resolved:
    """Put the settings together: defaults, user's file, project's file, environment, flags; what comes later wins.

    `flags` maps key names to values; None means that the flag was not given. Raises ConfigError.
    """
    environ = os.environ if environ is None else environ
    known = keys()
    values = {key.name: key.default for key in known.values()}
    origins = dict.fromkeys(known, DEFAULT)
    warnings: list[str] = []
    files = []

    def take(found: Mapping[str, Any], place: str) -> None:
        for name, value in found.items():
            values[name], origins[name] = value, place

    user_file = user_config_path(environ)
    for path in (user_file, project_config_path(project) if project else None):
        found = None if path is None else read_file(path, known)
        if path is not None and found is not None:
            files.append(path)
            take(found, str(path))
            if path != user_file:
                warnings += _loosened(path, found)
    for key in known.values():
        text = environ.get(key.variable, "")
        if text:
            take({key.name: from_text(key, text, f"{key.variable} in the environment")}, key.variable)
    warnings += _misspelt(environ, known)
    for name, value in (flags or {}).items():
        if value is not None:
            key = known[name]
            take(
                {name: from_text(key, value, key.flag) if isinstance(value, str) else _convert(key, value, key.flag)},
                key.flag,
            )
    return Resolved(_settings(values), MappingProxyType(origins), tuple(files), tuple(warnings))


def _keys_of(record: type[msgspec.Struct], prefix: str) -> list[Key]:
    found = []
    for field in msgspec.structs.fields(record):
        if get_origin(field.type) is None and isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            continue
        meta = next((part for part in get_args(field.type) if isinstance(part, msgspec.Meta)), msgspec.Meta())
        extra = meta.extra or {}
        found.append(
            Key(
                prefix + field.name,
                field.type,
                meta.description or "",
                str(extra.get("expected", "")),
                field.default,
                str(extra.get("applies", AT_ONCE)),
            )
        )
    return found


def _settings(values: Mapping[str, Any]) -> Settings:
    plain = {name: value for name, value in values.items() if "." not in name}
    switches = {name.partition(".")[2]: value for name, value in values.items() if name.startswith("switches.")}
    return Settings(**plain, switches=Switches(**switches))


def read_file(path: Path, known: Mapping[str, Key]) -> dict[str, Any] | None:
    """The values of one config file, by key; None when there is no such file. Raises ConfigError."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8 text: save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        reason = str(error)
        raise ConfigError(f"{path} is not valid TOML: {reason[:1].lower()}{reason[1:]}.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({(error.strerror or str(error)).lower()}).") from None
    found = {}
    for name, value in _flat(data):
        key = known.get(name)
        if key is None:
            raise ConfigError(f"{path}: there is no setting {name!r}{_guess(name, known)}.")
        found[name] = _convert(key, value, str(path))
    return found


def _flat(data: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Keys with their tables in front."""
    found: list[tuple[str, Any]] = []
    for name, value in data.items():
        found += _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else [(prefix + name, value)]
    return found


def _convert(key: Key, value: Any, place: str, *, strict: bool = True) -> Any:
    try:
        found = msgspec.convert(value, key.type, strict=strict)
    except msgspec.ValidationError:
        found = math.nan
    if isinstance(found, float) and not math.isfinite(found):
        head = f"{place}: " if place else ""
        raise ConfigError(f"{head}{key.name} must be {key.expected}, not {_shown(value)}.")
    return found


def from_text(key: Key, text: str, place: str) -> Any:
    """A value given as text, as the environment and the command line give it; lists are separated by commas.

    Raises ConfigError, which names `place` unless it is empty.
    """
    value: Any = text
    if isinstance(key.default, bool):
        lower = text.strip().lower()
        value = lower in _TRUE if lower in _TRUE | _FALSE else text
    elif isinstance(key.default, tuple):
        value = [part.strip() for part in text.split(",") if part.strip()]
    return _convert(key, value, place, strict=isinstance(key.default, bool))


def _shown(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _guess(name: str, known: Mapping[str, Key]) -> str:
    whole = difflib.get_close_matches(name, list(known), n=1)
    last = [key for key in known if key.rpartition(".")[2] == name.rpartition(".")[2]]
    found = last or whole
    return f" (did you mean {found[0]}?)" if found else "; `roomcode config` lists them"


def _misspelt(environ: Mapping[str, str], known: Mapping[str, Key]) -> list[str]:
    """Variables that look like a setting with a typing mistake. Others may belong to other programs."""
    variables = [key.variable for key in known.values()]
    found = []
    for name in sorted(environ):
        if name.startswith(_PREFIX) and name not in variables and name not in _OTHER_VARIABLES:
            close = difflib.get_close_matches(name, variables, n=2, cutoff=0.85)
            if close:
                found.append(f"{name} in the environment is not a setting: did you mean {' or '.join(close)}?")
    return found


def _loosened(path: Path, found: Mapping[str, Any]) -> list[str]:
    """A project may loosen the rules, but never unseen: the folder may have come from somebody else."""
    warnings = []
    if found.get("mode") == "auto":
        warnings.append(f"{path} lets the agent change files without asking (mode).")
    if found.get("approve"):
        warnings.append(f"{path} lets the agent change {', '.join(found['approve'])} without asking (approve).")
    if found.get("network"):
        warnings.append(f"{path} lets pages in the preview reach the internet (network).")
    return warnings
