"""Settings: defaults, config files, environment and flags, later ones winning."""

from roomcode.config.load import (
    AT_ONCE,
    DEFAULT,
    ConfigError,
    Key,
    Resolved,
    keys,
    load,
    project_config_path,
    user_config_path,
)
from roomcode.config.save import as_text, change
from roomcode.config.settings import Settings, Switches

__all__ = [
    "AT_ONCE",
    "DEFAULT",
    "ConfigError",
    "Key",
    "Resolved",
    "Settings",
    "Switches",
    "as_text",
    "change",
    "keys",
    "load",
    "project_config_path",
    "user_config_path",
]
