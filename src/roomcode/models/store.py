"""The folder of models on this machine: which are there, and which one a name means."""

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from roomcode.models.catalogue import Catalogue, Entry
from roomcode.models.checks import size_text
from roomcode.models.errors import ModelError

__all__ = ["Installed", "default_model", "installed", "models_dir", "resolve"]


@dataclass(frozen=True, slots=True)
class Installed:
    """A model file in the models folder; `entry` is None for a file the person put there."""

    path: Path
    size: int
    entry: Entry | None


def models_dir(environ: Mapping[str, str] | None = None) -> Path:
    """Where pulled models are kept: `ROOMCODE_MODELS`, or the `models` folder in the user's data folder."""
    chosen = (os.environ if environ is None else environ).get("ROOMCODE_MODELS", "")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return platformdirs.user_data_path("roomcode", appauthor=False) / "models"


def installed(folder: Path, catalogue: Catalogue) -> list[Installed]:
    """The model files in `folder`, smallest first. A missing folder holds none."""
    entries = {entry.filename: entry for entry in catalogue.entries.values()}
    found = []
    for path in folder.glob("*.gguf"):
        try:
            size = path.stat().st_size
        except OSError:
            continue
        found.append(Installed(path, size, entries.get(path.name)))
    return sorted(found, key=lambda model: (model.size, model.path.name))


def resolve(name: str, folder: Path, catalogue: Catalogue) -> Path:
    """The file that `name` means: a path, a name of the catalogue, or the name of a file in the models folder.

    Raises ModelError when the model is not on this machine or the name means nothing. A path is given back as it is;
    whether a usable model is there is the question of `check`.
    """
    wanted = name.strip()
    if not wanted:
        return default_model(folder, catalogue)
    if _is_path(wanted):
        path = Path(wanted).expanduser()
        in_folder = folder / path.name
        return in_folder if not path.exists() and path.name == wanted and in_folder.is_file() else path
    names = {known.lower(): entry for known, entry in catalogue.entries.items()}
    entry = names.get(wanted.lower())
    if entry is not None:
        path = folder / entry.filename
        if path.is_file():
            return path
        raise ModelError(
            f"{entry.name} is not on this machine: run `roomcode models pull {entry.name}` ({size_text(entry.size)})."
        )
    files = {model.path.stem.lower(): model.path for model in installed(folder, catalogue)}
    if wanted.lower() in files:
        return files[wanted.lower()]
    if Path(wanted).exists():
        return Path(wanted)
    close = difflib.get_close_matches(wanted.lower(), [*names, *files], n=1, cutoff=0.5)
    guess = f"did you mean {close[0]}?" if close else "give a name from the catalogue or the path of a .gguf file."
    raise ModelError(f"There is no model called {wanted!r}: {guess} `roomcode models` lists them.")


def default_model(folder: Path, catalogue: Catalogue) -> Path:
    """The model used when none is named: the catalogue's default, else the largest catalogue model on this machine.

    Raises ModelError, naming the command that fetches the default, when there is none.
    """
    default = catalogue.entries[catalogue.default]
    if (folder / default.filename).is_file():
        return folder / default.filename
    found = [model.path for model in installed(folder, catalogue) if model.entry is not None]
    if found:
        return found[-1]
    raise ModelError(
        f"There is no model on this machine yet: run `roomcode models pull {default.name}` ({size_text(default.size)})."
    )


def _is_path(text: str) -> bool:
    separators = {os.sep, os.altsep or os.sep, "/"}
    return any(mark in text for mark in separators) or text.startswith("~") or text.lower().endswith(".gguf")
