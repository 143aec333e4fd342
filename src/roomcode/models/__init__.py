"""Models: the catalogue, fetching them, and what a GGUF file is.

Everything here works on files and headers; nothing loads a model.
"""

from roomcode.models.catalogue import (
    Catalogue,
    Entry,
    HubSource,
    IndexPart,
    IndexSource,
    Profile,
    load_catalogue,
    profile_for,
    supply_for,
)
from roomcode.models.checks import check, check_facts, check_memory, size_text
from roomcode.models.errors import ModelError
from roomcode.models.facts import ModelFacts, inspect
from roomcode.models.memory import available_memory, default_context, memory_needed, total_memory
from roomcode.models.pull import default_sources, is_complete, pull
from roomcode.models.sources import Fetched, Progress, Report, Source, SourceError
from roomcode.models.store import Installed, default_model, installed, models_dir, resolve

__all__ = [
    "Catalogue",
    "Entry",
    "Fetched",
    "HubSource",
    "IndexPart",
    "IndexSource",
    "Installed",
    "ModelError",
    "ModelFacts",
    "Profile",
    "Progress",
    "Report",
    "Source",
    "SourceError",
    "available_memory",
    "check",
    "check_facts",
    "check_memory",
    "default_context",
    "default_model",
    "default_sources",
    "inspect",
    "installed",
    "is_complete",
    "load_catalogue",
    "memory_needed",
    "models_dir",
    "profile_for",
    "pull",
    "resolve",
    "size_text",
    "supply_for",
    "total_memory",
]
