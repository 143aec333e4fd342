"""What a preview reports, as plain data."""

from dataclasses import dataclass, replace
from typing import Literal

__all__ = [
    "Entry",
    "Expectation",
    "ExpectationKind",
    "Fault",
    "FaultKind",
    "Kind",
    "Limits",
    "LoadReport",
    "LogPage",
    "PageState",
    "PreviewError",
    "ProbeReport",
    "ScriptReport",
    "Severity",
]

Severity = Literal["error", "warning", "info"]
Kind = Literal["exception", "syntax", "console", "missing", "failed", "blocked", "security", "page"]
"""`missing`: one of the served folder's own files is not there. `failed`: another request that got no good answer.
`blocked`: a request that would have left this machine. `page`: something the page did (dialog, popup, download)."""

PageState = Literal["clean", "errors", "no_answer", "no_browser"]


class PreviewError(Exception):
    """A request the preview refuses. The message is for the model: what is wrong, and the next call; `reason` is the
    first part alone, for the person."""

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(f"{reason} {advice}".strip())
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds, unless said otherwise. Every wait of the preview is bounded by one of these."""

    start: float = 20.0
    """Starting the browser."""
    load: float = 2.0
    """From opening a page until its result is taken, finished or not."""
    settle: float = 0.12
    """A loaded page that is quiet for this long is taken as done."""
    answer: float = 1.0
    """A page that does not answer a question within this hangs."""
    screenshot: float = 1.5
    script: float = 3.0
    """One `run_js`."""
    probe: float = 3.0
    """Using a page once; after this nothing more is begun."""
    close: float = 3.0
    rest: float = 3.0
    """A page that nobody asks about is frozen after this, so that it takes no time from the model."""
    memory: int = 1_000_000_000
    """Bytes one page's process may hold before it is stopped."""
    events: int = 20_000
    """Console lines and requests of one page before it counts as a flood."""
    event_bytes: int = 40_000_000
    ports: int = 8
    """Folders served at the same time; the oldest gives way."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a page's log. Equal lines are folded into one with a count."""

    severity: Severity
    kind: Kind
    text: str
    """One line, at most about 300 characters, without control characters."""
    file: str = ""
    """Project-relative path where it happened, or empty when it is not one of the project's files."""
    line: int = 0
    """Counts from 1; 0 when unknown."""
    column: int = 0
    count: int = 1
    number: int = 0
    """Place in the log: later entries have higher numbers; a repeat moves its entry to the end."""
    rank: int = 1
    """Errors are told in the order of rank (causes before consequences), then of time."""
    advice: str = ""
    """What to do about an error, where the project's texts say it."""

    @property
    def place(self) -> str:
        """`file:line`, `file`, or empty."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file

    def numbered(self, number: int, count: int) -> "Entry":
        return replace(self, number=number, count=count)


@dataclass(frozen=True, slots=True)
class LoadReport:
    """One load of one page. `report.result_lines` turns it into text for the model."""

    url: str
    port: int
    wanted_port: int
    state: PageState
    page: str = ""
    """Project-relative path of the page."""
    title: str = ""
    elements: int = 0
    """Visible elements inside the body."""
    text: str = ""
    """The text in the first screenful, one line, cut."""
    errors: tuple[Entry, ...] = ()
    """Most important first."""
    notices: tuple[Entry, ...] = ()
    """What else a reader must know: dialogs, popups, blocked pictures."""
    excerpt: str = ""
    """Source line of the first error, or empty."""
    reason: str = ""
    """Why the page was not checked, or did not answer."""
    waiting: tuple[str, ...] = ()
    """Requests still open when time was up."""
    screenshot: str = ""
    """Path of a PNG, or empty."""
    cursor: int = 0
    """Where `preview_logs` goes on."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class LogPage:
    """Part of a page's log, newest last."""

    port: int
    entries: tuple[Entry, ...]
    cursor: int
    left_out: int = 0
    """Older entries that did not fit."""
    state: str = ""
    """A sentence when the page is gone or hangs."""


@dataclass(frozen=True, slots=True)
class ScriptReport:
    """What one `run_js` gave."""

    ok: bool
    printed: tuple[str, ...] = ()
    value: str = ""
    """The value of the last expression (or of `return`), formatted; empty for undefined."""
    error: str = ""
    """Exception or time limit, with the line in the code."""
    place: str = ""
    """`page index.html` or `empty sandbox`."""
    seconds: float = 0.0


ExpectationKind = Literal[
    "text", "change", "visible", "hidden", "only", "alone", "again", "stripes", "styles", "stacked"
]


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a request says of an element: at first, or after one click on a button.

    `text`: it shows `value`. `change`: its number is another one by `value`. `visible`, `hidden`. `only`: of several
    elements exactly one can be seen, the one called `value` where that is not empty. Of several controls alike, which
    the page itself shows: `alone`, what one of them changed is as before once another one is used; `again`, using one
    twice leads back. `stripes`: of rows or entries the second, fourth and so on have the background `value`.
    `stacked`: what stands side by side on wide screens does not on screens of at most `value` pixels. `styles`: no rule
    of a class is overruled by another one wherever it applies.
    """

    kind: ExpectationKind
    ids: tuple[str, ...]
    value: str = ""
    button: str = ""
    """What the button says that is clicked before; empty: nothing is."""
    then: tuple[str, ...] = ()
    """What the buttons say that are clicked after that one."""
    fill: tuple[str, str] = ("", "")
    """The id of a field, and the text that is typed into it before; no id: nothing is."""
    key: str = ""
    """The key that is pressed before, like `Escape`."""
    within: float = 0.7
    """Seconds after that in which it has to be so."""


FaultKind = Literal["error", "shown", "reload", "idle", "link", "stuck", "unmet"]
"""`shown`: a word like NaN. `reload`: a form that loads the page anew. `idle`: what leads to nothing, like a control
without a handler or a row without its cells. `link`: to a part of the page that is not there. `stuck`: the page hangs
or crashed. `unmet`: not what an Expectation says."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong when a page was used."""

    kind: FaultKind
    text: str
    """One line without the action that led to it."""
    action: str = ""
    """What was done before, like `a click on "Save"`; empty when nothing was."""
    control: str = ""
    """What is idle, like `button "Save"`."""
    advice: str = ""
    """What to do about an error, where the project's texts say it."""


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """How a page stood being used once. `report.probe_lines` turns it into text for the model."""

    page: str
    """Project-relative path of the page."""
    faults: tuple[Fault, ...] = ()
    """In the order they appeared, each once."""
    filled: int = 0
    """Fields that got a value."""
    clicked: int = 0
    reason: str = ""
    """Why the page was not used, or not to the end; empty when it was."""
    seconds: float = 0.0
