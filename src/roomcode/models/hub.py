"""Models from the model hub, over plain HTTP, going on where an earlier try stopped."""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roomcode.models.catalogue import Entry
from roomcode.models.sources import Fetched, Progress, Report, SourceError

__all__ = ["HubClient"]

_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class HubClient:
    """Fetches single files of a hub's repositories; no credentials are sent.

    `endpoint` is the hub's address; None means the usual one (or what `HF_ENDPOINT` says). `timeout` is how many
    seconds the hub has for its first answer, short so that a closed network is noticed quickly.
    """

    endpoint: str | None = None
    timeout: float = 5.0

    @property
    def name(self) -> str:
        return "the model hub"

    def offers(self, entry: Entry) -> bool:
        return entry.hub is not None

    def fetch(self, entry: Entry, staging: Path, report: Report) -> Fetched:
        if entry.hub is None:
            raise SourceError("does not have this model")
        from huggingface_hub import get_hf_file_metadata, hf_hub_url
        from huggingface_hub.errors import HfHubHTTPError
        from huggingface_hub.file_download import http_get

        # hf_hub_download is not used: since version 2 it throws away what it has when it is interrupted.
        url = hf_hub_url(entry.hub.repo, entry.hub.file, revision=entry.hub.revision, endpoint=self.endpoint)
        try:
            found = get_hf_file_metadata(url, token=False, timeout=self.timeout, endpoint=self.endpoint)
        except HfHubHTTPError as error:
            raise SourceError(f"answered {error.response.status_code} for {entry.hub.repo}") from None
        except Exception as error:  # the errors of its HTTP library are not part of the client's interface
            raise SourceError(f"cannot be reached ({_short(error)})") from None
        if found.size is not None and found.size != entry.size:
            raise SourceError(f"has a file of {found.size} bytes where {entry.size} are expected")
        path = staging / "hub.part"
        path.touch()
        with path.open("r+b") as file:
            if file.seek(0, io.SEEK_END) > entry.size:
                file.seek(0)
                file.truncate()
            try:
                http_get(
                    found.location,
                    file,
                    resume_size=file.tell(),
                    headers={"Accept-Encoding": "identity"},
                    expected_size=entry.size,
                    tqdm_class=_bar(entry.size, report),
                )
            except HfHubHTTPError as error:
                raise SourceError(f"answered {error.response.status_code} in the middle of the download") from None
            except Exception as error:  # as above
                raise SourceError(f"stopped in the middle of the download ({_short(error)})") from None
        etag = (found.etag or "").lower()
        return Fetched(path, etag if len(etag) == 64 and set(etag) <= _HEX else "")


def _bar(size: int, report: Report) -> Any:
    """A progress bar class as the hub's client wants one, that draws nothing and reports."""

    class Bar:
        def __init__(self, *, initial: int = 0, **_: object) -> None:
            self.done = initial
            self.update(0)

        def __enter__(self) -> "Bar":
            return self

        def __exit__(self, *_: object) -> None:
            return None

        def update(self, count: int = 0) -> None:
            self.done += count
            report(Progress("hub", self.done, size))

        def close(self) -> None:
            return None

    return Bar


def _short(error: Exception) -> str:
    """The first line of an error."""
    lines = str(error).strip().splitlines()
    return lines[0][:120] if lines else type(error).__name__
