"""From what the model or a browser asks for to a file inside one folder, or to a reason why not."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote_to_bytes, urlsplit

from roomcode.preview.names import nearest
from roomcode.preview.types import PreviewError

__all__ = ["Target", "files_below", "find_page", "pages_below", "resolve", "url_path"]

_SKIPPED = {"node_modules", "__pycache__", "bower_components"}
_PAGES = (".html", ".htm", ".xhtml")
_LOOK_AT = 2000


@dataclass(frozen=True, slots=True)
class Target:
    """What to serve and what to open."""

    folder: Path
    """Real path of the served folder."""
    prefix: str
    """Project-relative path of that folder, empty for the project itself."""
    page: str
    """File to open, relative to the folder; empty for its index.html."""

    @property
    def page_path(self) -> str:
        """Project-relative path of the page."""
        return "/".join(part for part in (self.prefix, self.page or "index.html") if part)


def find_page(root: Path, path: str) -> Target:
    """Find the folder and page that `path` (a folder or an HTML file, relative to the project) names.

    Raises PreviewError with a sentence for the model: what is wrong, and which call would work.
    """
    root = root.resolve()
    relative = _relative(root, path)
    where = (root / relative).resolve()
    if not where.is_relative_to(root):
        raise PreviewError(f"{path} is outside the project.", 'Call serve(path=".") or name a folder of the project.')
    if any(part.startswith(".") for part in where.relative_to(root).parts):
        raise PreviewError(f"{path} is hidden and is not served.", 'Call serve(path=".").')
    if where.is_file():
        return _file(root, where)
    if not where.is_dir():
        raise PreviewError(f"{path} does not exist.", _advice(root, path))
    if (where / "index.html").is_file():
        return Target(where, _prefix(root, where), "")
    return _without_index(root, where)


def _relative(root: Path, path: str) -> str:
    text = path.strip().strip("\"'").replace("\\", "/")
    if text.startswith(("http://", "https://", "file://")):
        text = urlsplit(text).path
    if text == root.as_posix() or text.startswith(f"{root.as_posix()}/"):
        text = text[len(root.as_posix()) :]
    return text.lstrip("/") or "."


def _prefix(root: Path, folder: Path) -> str:
    prefix = folder.relative_to(root).as_posix()
    return "" if prefix == "." else prefix


def _file(root: Path, where: Path) -> Target:
    folder = where.parent
    if where.suffix.lower() in _PAGES:
        page = "" if where.name == "index.html" else where.name
        return Target(folder, _prefix(root, folder), page)
    name = where.relative_to(root).as_posix()
    for parent in (folder, root):
        if (parent / "index.html").is_file():
            raise PreviewError(f"{name} is not a page.", f'Call serve(path="{_prefix(root, parent) or "."}").')
    raise PreviewError(f"{name} is not a page.", "Write an index.html that loads it, then call serve.")


def _without_index(root: Path, folder: Path) -> Target:
    pages = pages_below(folder)
    here = [page for page in pages if "/" not in page]
    if len(here) == 1:
        return Target(folder, _prefix(root, folder), here[0])
    shown = _prefix(root, folder) or "the project folder"
    found = here or pages
    if not found:
        raise PreviewError(f"There is no HTML file in {shown}.", "Write index.html first, then call serve.")
    best = next((page for page in found if page.endswith("index.html")), found[0])
    call = PurePosixPath(_prefix(root, folder), best).as_posix()
    names = ", ".join(found[:8]) + (f" and {len(found) - 8} more" if len(found) > 8 else "")
    raise PreviewError(f"There is no index.html in {shown}. HTML files there: {names}.", f'Call serve(path="{call}").')


def _advice(root: Path, path: str) -> str:
    pages = pages_below(root)
    folders = sorted({PurePosixPath(page).parent.as_posix() for page in pages} - {"."})
    if guess := nearest(path.strip("/ "), [*pages, *folders]):
        return f'Did you mean serve(path="{guess}")?'
    if pages:
        return f'Call serve(path="{pages[0]}").'
    return "There is no HTML file in the project: write index.html first, then call serve."


def files_below(folder: Path, limit: int = _LOOK_AT) -> Iterator[str]:
    """Relative paths of the files that may be served, breadth first: no hidden ones, no dependency folders."""
    queue = [(folder, "")]
    count = 0
    for where, prefix in queue:
        try:
            entries = sorted(os.scandir(where), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.name in _SKIPPED:
                continue
            name = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                queue.append((where / entry.name, f"{name}/"))
            elif entry.is_file():
                yield name
                count += 1
                if count >= limit:
                    return


def pages_below(folder: Path) -> list[str]:
    """HTML files of a folder and the folders in it, nearest first."""
    return [name for name in files_below(folder) if name.lower().endswith(_PAGES)]


def url_path(raw: str) -> str | None:
    """The decoded path of a request target, without its query, or None when it is not acceptable.

    Decoded once. Refused: bytes that are not UTF-8, control characters, a backslash, a colon (drives, alternate
    streams), an encoded slash, empty, `.` and `..` segments, and segments that start with a dot.
    """
    raw = raw.partition("#")[0].partition("?")[0]
    if not raw.startswith("/") or "%2f" in raw.lower():
        return None
    try:
        path = unquote_to_bytes(raw).decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        return None
    if any(ord(char) < 32 or ord(char) == 127 or char in "\\:" for char in path):
        return None
    segments = path[1:].split("/")
    if any(not segment for segment in segments[:-1]) or any(segment.startswith(".") for segment in segments):
        return None
    return path[1:]


def resolve(folder: Path, path: str) -> Path | None:
    """The real regular file (or folder) at `path` below the real path `folder`; None when there is none to serve.

    Links are followed only to places inside the folder that are not hidden. Sockets, pipes and devices are refused.
    """
    try:
        real = (folder / path).resolve(strict=True)
        inside = real.relative_to(folder).parts
        mode = real.stat().st_mode
    except (OSError, ValueError, RuntimeError):
        return None
    if any(part.startswith(".") for part in inside):
        return None
    if path.endswith("/") and not stat.S_ISDIR(mode):
        return None
    return real if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else None
