"""The models roomcode knows by name, and the settings that suit each family."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

from roomcode.models.facts import ModelFacts
from roomcode.protocol.engine import Sampling

__all__ = [
    "Catalogue",
    "Entry",
    "HubSource",
    "IndexPart",
    "IndexSource",
    "Profile",
    "load_catalogue",
    "profile_for",
    "supply_for",
]


_SMALL = 5_000_000_000
"""Weights up to which a model is told the text of a small project, instead of having to look."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Settings that suit a model: how its calls are written and how its tokens are drawn."""

    family: str
    """Name of the family in the catalogue; `generic` when it is not known."""
    form: Literal["auto", "xml", "json"] = "auto"
    """`auto`: the form that the chat template names."""
    sampling: Sampling = field(default_factory=Sampling)
    context: int = 0
    """Tokens of context; 0 means by size."""
    first_call: Literal["off", "on", "plan"] = "off"
    """The first answer to a request has to be a call, such a model answers out of nothing otherwise; `plan`: where
    there are files, one line that says what it is going to do, then a call."""
    supply: Literal["auto", "text", "names"] = "auto"
    """What of the project is put beside a request; `auto`: text for small models, names for the others."""
    pieces: Literal["words", "lines"] = "words"
    """What an edit may replace: words within a line, or no less than a line or a segment of one, where a model cannot
    tell what a word belongs to."""
    attempts: int = 1
    """How often a request may be tried where checks say that its work is not done."""
    note: str = ""
    """Where the settings come from."""


@dataclass(frozen=True, slots=True)
class HubSource:
    """One file of a model hub's repository, at a pinned revision."""

    repo: str
    file: str
    revision: str


@dataclass(frozen=True, slots=True)
class IndexPart:
    """One package of a Python package index, and the path of the data inside its wheel."""

    package: str
    version: str
    data: str

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"


@dataclass(frozen=True, slots=True)
class IndexSource:
    """Packages whose data, joined in order, is the model file."""

    parts: tuple[IndexPart, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One model of the catalogue."""

    name: str
    title: str
    parameters: int
    kv_bytes_per_token: int
    size: int
    """Bytes of the GGUF file."""
    sha256: str
    """Lower-case hex, or empty when only the hub's own checksum is known."""
    license: str
    about: str
    profile: Profile
    hub: HubSource | None = None
    index: IndexSource | None = None

    @property
    def filename(self) -> str:
        return f"{self.name}.gguf"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All entries by name, smallest first, and the families' profiles with the words that tell them."""

    default: str
    entries: Mapping[str, Entry]
    families: tuple[tuple[tuple[str, ...], Profile], ...]


def load_catalogue(text: str | None = None) -> Catalogue:
    """Read the catalogue that comes with roomcode, or the TOML in `text`."""
    source = files("roomcode.models").joinpath("catalogue.toml").read_text("utf-8") if text is None else text
    data = tomllib.loads(source)
    families = {name: (tuple(table["match"]), _profile(name, table)) for name, table in data["families"].items()}
    entries = [_entry(name, table, families[table["family"]][1]) for name, table in data["models"].items()]
    entries.sort(key=lambda entry: entry.size)
    return Catalogue(data["default"], {entry.name: entry for entry in entries}, tuple(families.values()))


def profile_for(facts: ModelFacts, catalogue: Catalogue) -> Profile:
    """The settings for a model: its catalogue entry's when the file has that name and size, else its family's.

    The family is told by the names inside the file, then by the file's own name; a model of no known family gets the
    generic profile.
    """
    for entry in catalogue.entries.values():
        if facts.path.name == entry.filename and facts.size == entry.size:
            return entry.profile
    for words in (facts.basename, facts.name, facts.path.stem):
        for matches, profile in catalogue.families:
            if any(match in words.lower() for match in matches):
                return profile
    return Profile("generic", note="Nothing is known about this model: usual settings for small models.")


def supply_for(profile: Profile, parameters: int) -> Literal["text", "names"]:
    """What of the project such a model is told with a request: what its profile says, else what suits its size."""
    if profile.supply != "auto":
        return profile.supply
    return "text" if 0 < parameters <= _SMALL else "names"


def _profile(name: str, table: Mapping[str, Any], base: Sampling | None = None) -> Profile:
    sampling = base or Sampling()
    return Profile(
        family=name,
        form=table.get("form", "auto"),
        sampling=Sampling(
            temperature=table.get("temperature", sampling.temperature),
            top_k=table.get("top_k", sampling.top_k),
            top_p=table.get("top_p", sampling.top_p),
            min_p=table.get("min_p", sampling.min_p),
            repeat_penalty=table.get("repeat_penalty", sampling.repeat_penalty),
        ),
        context=table.get("context", 0),
        first_call=table.get("first_call", "off"),
        supply=table.get("supply", "auto"),
        pieces=table.get("pieces", "words"),
        attempts=table.get("attempts", 1),
        note=table.get("note", ""),
    )


def _entry(name: str, table: Mapping[str, Any], family: Profile) -> Entry:
    hub, index = table.get("hub"), table.get("index")
    inherited = {
        name: getattr(family, name)
        for name in ("form", "context", "first_call", "supply", "pieces", "attempts", "note")
    }
    own = inherited | table.get("profile", {})
    return Entry(
        name=name,
        title=table["title"],
        parameters=table["parameters"],
        kv_bytes_per_token=table["kv_bytes_per_token"],
        size=table["size"],
        sha256=table.get("sha256", ""),
        license=table["license"],
        about=table["about"],
        profile=_profile(family.family, own, family.sampling),
        hub=HubSource(**hub) if hub else None,
        index=IndexSource(_parts(**index)) if index else None,
    )


def _parts(package: str, version: str, count: int, data: str) -> tuple[IndexPart, ...]:
    return tuple(IndexPart(package.format(n=n), version, data.format(n=n)) for n in range(1, count + 1))
