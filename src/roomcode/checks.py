"""Looking at the result, not only at the calls: what is wrong with the project's pages after a change."""

import asyncio
import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from roomcode.behaviour import missing_behaviour, missing_elements
from roomcode.cures import Unfinished, cure
from roomcode.expectations import expectations
from roomcode.moves import not_moved
from roomcode.next_change import (
    ABSENT,
    ASKED,
    IS_THE,
    TROUBLE,
    files_of_place,
    first_change,
    not_relabelled,
    not_renamed,
    unfinished_after,
)
from roomcode.preview import Expectation, Fault, LoadReport, PreviewError, ProbeReport, probe_lines
from roomcode.preview.pitfalls import doubtful_places, script_pitfalls
from roomcode.preview.pitfalls_hidden import hidden_for_good
from roomcode.preview.pitfalls_styles import style_pitfalls
from roomcode.preview.references import (
    Finding,
    Sources,
    check,
    dead_handlers,
    loading_faults,
    missing_files,
    missing_ids,
    read_sources,
    syntax_errors,
    unused_files,
)
from roomcode.preview.report import error_line
from roomcode.promises import unkept_claims, unkept_wishes
from roomcode.resets import with_resets
from roomcode.screens import missing_media, stacked, style_end
from roomcode.telling import (
    NO_SCRIPT,
    concerns,
    distinct,
    told_by_browser,
    with_rows,
    with_script,
    with_sentence,
    with_writers,
)
from roomcode.wording import intent, named_files, not_there, planned_files, speaks_of_looks

__all__ = ["Pages", "ProjectChecks"]

_log = logging.getLogger(__name__)
_LEFT_OUT = re.compile(
    r"\b(?:missing|misses|left\s+out|leaves?\s+out|skip(?:s|ped)?|lacks?|too\s+few|first|last|not\s+all)\b",
    re.IGNORECASE,
)
"""How a request speaks of something that a loop leaves out."""
_FORBIDS = re.compile(r"\b(?:do not|don['’]t)\b", re.IGNORECASE)
"""Words of a request that say what is to stay, and are no sign of a fault."""
_NOTHING_CHANGED = "the request asks for a change, but no file was changed"
_WEB = (".html", ".htm", ".css", ".js", ".mjs", ".json", ".webmanifest", ".svg")
_CODE = (".html", ".htm", ".js", ".mjs")
_LACKS = re.compile(
    r"has no (?:click|input|submit) handler|have no click handler|but no script defines it"
    r"|has a row of \d+ cells under a header|^nothing (?:has|holds|reads|stores|reacts|happens)|^there is no "
    r"|^no script writes into|^no column says|is nowhere|does not exist$|no page loads it"
)
"""What says that something is still to be done, and not that something was done wrong."""
_LACKS_ID = re.compile(r"no element in \S+ has id=.*: write id=")
_OF_NULL = re.compile(r"TypeError: Cannot (?:read|set) properties of null")
_MOST_CURES = 3
_STILL_THERE = " still holds the <"
_FORCED = 4
"""Changes of a request after which it may go on as it likes, whatever is still wrong."""
_RENAMED = 40
"""The same where a name stands in many places."""
_MOST_ASKED = 10
_LINES_AFTER_CHANGE = 2
_LINES_AT_END = 6


class Pages(Protocol):
    """What the checks need of a preview."""

    async def serve(self, path: str) -> LoadReport:
        """Load a page. Raises PreviewError."""
        ...

    async def probe(self, path: str, expected: Sequence[Expectation] = ()) -> ProbeReport:
        """Use a page once, and compare it with what is expected of it. Raises PreviewError."""
        ...


class ProjectChecks:
    """Checks of one project; `preview` loads its page."""

    def __init__(self, root: Path, preview: Pages) -> None:
        self._root = root
        self._preview = preview
        self._idle: set[Fault] = set()
        """What led nowhere before the request, which therefore need not be mended by it."""
        self.unfinished: Unfinished | None = None
        """What a model was told to do next; None when nothing was found wrong."""
        self._at_first: Unfinished | None = None
        self.changes = 0
        """How often the running request changed something."""
        self._asked = 0
        self.complete = False
        """What the last change left could be the whole work."""
        self._planned: list[str] = []
        self._written: set[str] = set()
        self._unused: set[str] = set()
        """Files that no page loaded when the request began."""
        self._left = 0
        """Places that a rename has still to reach."""
        self._lacking: list[str] = []
        """What no code did when the request began."""
        self._silent: set[tuple[str, str]] = set()
        """Mistakes that were there when the request began, and that it does not speak of."""
        self._expected: Sequence[Expectation] = ()
        self._looks: Sequence[Expectation] = ()
        self._layout: list[Expectation] = []
        self.anew = False
        """The project had no page when the request began."""
        self.placed: tuple[str, ...] = ()
        """Files of the one page or folder that the request speaks of."""
        self.first_change = Unfinished()
        """What its first change has to bring, as far as the request names it."""

    def begin(self, prompt: str = "") -> None:
        """A request begins."""
        self._idle, self._at_first = set(), None
        sources = read_sources(self._root)
        self.placed = files_of_place(prompt, sources)
        self.first_change = first_change(prompt, sources, self.placed)
        self._unused = {finding.path for finding in unused_files(sources)}
        self._lacking = missing_behaviour("", sources.texts)
        self._silent = set() if TROUBLE.search(prompt) else {(one.path, one.text) for one in _mistakes(sources)}
        self.anew = not sources.pages
        # What is told of a page that is there may be what is wrong with it.
        trouble = TROUBLE.search(prompt) is not None
        self._expected = expectations(prompt) if self.anew or not trouble else ()
        width = "" if trouble else stacked(prompt)
        self._expected = (*self._expected, *((Expectation("stacked", (), width),) if width else ()))
        self._layout = [one for one in self._expected if one.kind in ("stripes", "stacked")]
        self._looks = (Expectation("styles", ()),) if trouble and speaks_of_looks(prompt) else ()
        self.begin_again()

    def begin_again(self, *, kept: bool = False) -> None:
        """What the request did was taken back; `kept`: what it did before that was brought back."""
        self.unfinished, self.changes, self._asked, self._planned = self._at_first, int(kept), 0, []
        self._written, self.complete, self._left = set(), False, 10**6

    def to_be_done(self) -> Unfinished | None:
        """What the next answer has to deal with. Not for ever: a model that cannot do it has to be able to say so."""
        self._asked += self.unfinished is not None
        return self.unfinished if self._asked <= _MOST_ASKED else None

    def plan(self, text: str) -> None:
        """What the model says it is going to do."""
        self._planned = planned_files(text)

    async def after_change(self, prompt: str, paths: Sequence[str]) -> list[str]:
        """At most two lines about files that were just written: what does not parse, what leads nowhere; where nothing
        is wrong, what comes next."""
        sources = await asyncio.to_thread(read_sources, self._root)
        found = [*syntax_errors(sources), *missing_files(sources), *missing_ids(sources)]
        found = [f for f in found if f.path in paths] + [f for f in loading_faults(sources) if concerns(f, paths)]
        found += [one for one in self._pitfalls(sources) if one.path in paths]
        lines = [str(finding) for finding in found[:_LINES_AFTER_CHANGE]]
        missing = not_there(prompt, sources.names)
        left = not_renamed(prompt, sources)
        wishes = [*left[:1], *self._unkept(prompt, sources)]
        self.changes += 1
        self._planned = [name for name in self._planned if name not in paths]
        self._written.update(paths)
        alone = [finding for finding in unused_files(sources) if finding.path in self._written]
        self.complete = self._could_be_whole(sources, lines, bool(wishes), bool(missing or alone))
        wrong = bool(lines or wishes or alone) and self.changes <= (_RENAMED if left else _FORCED)
        self.unfinished = unfinished_after(prompt, sources) if wrong else None
        if wrong and left:
            self._asked = 0 if len(left) < self._left else self._asked
            self._left = len(left)
            self.unfinished = cure(left[0])
            return [*lines, f"Next: {left[0]}."][:_LINES_AFTER_CHANGE]
        aimed = [line for line in wishes if _STILL_THERE in line or (IS_THE in line and not lines)]
        if wrong and aimed and not missing:
            self.unfinished = cure(aimed[0])
            return [f"Next: {aimed[0]}."]
        if lines:
            self._bring_in(lines)
            return lines
        if missing:
            return [f"Next: write {missing[0]}."]
        if alone:
            self._bring_in([alone[0].text])
            return [f"Next: {alone[0]}."]
        if wishes:
            if wrong and (change := cure(wishes[0])) is not None and change.within:
                self.unfinished = change
            return [f"Still to do: {with_sentence(prompt, wishes[0])}."]
        homes = self.placed or sources.texts
        planned = next((name for name in self._planned if name in homes), None)
        if planned is not None:
            # It is told and not forced: a plan may name more than the request wants.
            self._planned.remove(planned)
            self.complete = False
            return [f"Next: change {planned}, as you said, or serve if that is not needed."]
        return ["Next: serve, if nothing else is to be changed."] if sources.pages else []

    def _newly_unused(self, sources: Sources) -> list[Finding]:
        """Files that no page loads, other than those that the request found like that and left alone."""
        return [one for one in unused_files(sources) if one.path in self._written or one.path not in self._unused]

    def _pitfalls(self, sources: Sources) -> list[Finding]:
        """What runs without an error and is wrong all the same."""
        return [one for one in _mistakes(sources) if (one.path, one.text) not in self._silent]

    def _bring_in(self, lines: Sequence[str]) -> None:
        """Where nothing else is to be brought in, the first cure that `lines` tell is."""
        if self.unfinished is None or self.unfinished.texts or self.unfinished.files:
            return
        self.unfinished = next((found for line in lines if (found := cure(line)) is not None), self.unfinished)

    def _could_be_whole(self, sources: Sources, lines: Sequence[str], wishes: bool, missing: bool) -> bool:
        """Whether the project can be judged now: nothing is left to be written. A page made anew is judged as it is; in
        one that was there a wish, or an id that a script asks for, may be the next change."""
        if missing or not sources.pages or any(ABSENT.match(one.text) for one in missing_files(sources)):
            return False
        asked = any(ASKED.search(line) for line in lines)
        return self.anew or not (wishes or asked) or (bool(lines) and not asked)

    async def before_start(self, prompt: str) -> list[str]:
        """What is wrong with the project's page before a request is dealt with; what no console shows only for a
        request that speaks of trouble."""
        self._idle = set()
        sources = await asyncio.to_thread(read_sources, self._root)
        if not sources.pages:
            return []
        named = [name for name in (*named_files(prompt), *self.placed) if name in sources.pages]
        trouble = TROUBLE.search(prompt) is not None
        use = trouble or intent(prompt) == "change"
        tried = (*self._looks, *self._layout)
        lines, faults = await self._page_errors(sources, named or ["index.html"], use, tried)
        if not trouble:
            self._idle = {fault for fault in faults if fault.kind != "unmet"}
            layout = [fault for fault in faults if fault.kind == "unmet"]
            found = cure(self._placed(sources, layout)[0]) if layout and intent(prompt) == "change" else None
            if found is not None and found.becomes[0]:
                self.first_change = found
        else:
            told = told_by_browser(sources, lines)
            # One file that no page loads may be what is wrong, several are only left over.
            if len(unused := unused_files(sources)) > 1:
                told += unused
            used = self._placed(sources, faults)
            lines += [*used, *(str(finding) for finding in check(sources) if finding not in told)]
            lines += [str(finding) for finding in self._pitfalls(sources)]
            doubtful = []
            if TROUBLE.search(_FORBIDS.sub("", prompt)):
                doubtful = [str(finding) for finding in doubtful_places(sources)]
                lines += doubtful
            if lines:
                self.unfinished = Unfinished()
                self._bring_in([line for line in lines[:1] if line not in doubtful or _fits(line, prompt)])
                self._at_first = self.unfinished
        return distinct(lines)[:_LINES_AT_END]

    async def before_end(self, prompt: str, changed: Sequence[str], answer: str = "") -> list[str]:
        """What is still wrong when a request is about to end; empty when nothing is.

        Loads the page where a file that it may use was changed, and looks for what no console shows. Faults of files
        that the request did not touch are only told when the browser shows them. What the request names and what the
        answer says was done are compared with what is there.
        """
        self.unfinished = None
        if not changed:
            return [_NOTHING_CHANGED] if intent(prompt) == "change" else []
        sources = await asyncio.to_thread(read_sources, self._root)
        lines = [*not_renamed(prompt, sources)[:1], *self._unkept(prompt, sources)]
        errors, faults = await self._page_errors(sources, changed, expected=(*self._expected, *self._looks))
        used = with_script(sources, probe_lines(self._concerning(faults, changed)))
        lines += [
            *errors,
            *with_resets(sources.texts, with_rows(sources, with_writers(sources, used)), style_end(sources)),
        ]
        told = told_by_browser(sources, errors)
        looks = (syntax_errors, missing_files, missing_ids, loading_faults, dead_handlers, self._newly_unused)
        for look in (*looks, self._pitfalls):
            findings = [one for one in look(sources) if one not in told and concerns(one, changed)]
            lines += [str(finding) for finding in findings]
        lines += unkept_claims(answer, changed, sources.names)
        aimed = [line for line in lines if IS_THE in line]
        self.unfinished = cure(aimed[0]) if aimed else unfinished_after(prompt, sources) if lines else None
        if self._elsewhere(prompt, changed):
            lines.append(f"the change belongs to {' or '.join(self.placed[:3])}, but none of these was changed")
            if self.unfinished is None:
                self.unfinished = Unfinished(edit=self.placed)
        self._bring_in(lines)
        if any(line.endswith(NO_SCRIPT) for line in lines):
            self.unfinished = Unfinished(texts=("<script>",), edit=tuple(sources.pages))
        return distinct(lines)[:_LINES_AT_END]

    def mendable(self, wrong: Sequence[str]) -> bool:
        """Whether it is better to go on than to do it anew: each fault has a place and a cure, or a project that was
        there only lacks something more."""
        if any(_LACKS_ID.search(line) for line in wrong):
            # What breaks where an element is not found is mended with it.
            wrong = [line for line in wrong if " Fix: " in line or not _OF_NULL.search(line)]
        cures = [found for line in wrong if (found := cure(line)) is not None and found.within]
        if len(cures) == len(wrong) and len({found.texts for found in cures}) <= _MOST_CURES:
            return True
        return not self.anew and all(_LACKS.search(line) for line in wrong)

    def _unkept(self, prompt: str, sources: Sources) -> list[str]:
        """What the request names and is not there, and what no code does that should be done."""
        wishes = not_relabelled(prompt, sources, self.placed)
        wishes += [*unkept_wishes(prompt, sources.texts, sources.names), *not_moved(prompt, sources.texts)]
        if intent(prompt) == "change":
            wishes += missing_media(prompt, sources)
            wishes += [line for line in missing_behaviour(prompt, sources.texts) if line not in self._lacking]
        if self.anew and sources.pages:
            wishes += missing_elements(prompt, sources.texts)
        return wishes

    def _elsewhere(self, prompt: str, changed: Sequence[str]) -> bool:
        """Whether nothing of the place was changed that the request speaks of. What is new there counts."""
        folders = {name.rpartition("/")[0] for name in self.placed} - {""}
        inside = any(name in self.placed or name.rpartition("/")[0] in folders for name in changed)
        return bool(self.placed) and not inside

    def _placed(self, sources: Sources, faults: Sequence[Fault]) -> list[str]:
        return with_resets(sources.texts, probe_lines(faults), style_end(sources))

    def _concerning(self, faults: Sequence[Fault], changed: Sequence[str]) -> list[Fault]:
        """A button without a handler or a link to nowhere may be meant to be like that when it was before."""
        code = any(path.lower().endswith(_CODE) for path in changed)
        return [fault for fault in faults if fault.kind not in ("idle", "link") or (code and fault not in self._idle)]

    async def _page_errors(
        self, sources: Sources, changed: Sequence[str], use: bool = True, expected: Sequence[Expectation] = ()
    ) -> tuple[list[str], tuple[Fault, ...]]:
        """What loading a page shows, and what using it does."""
        if not sources.pages or not any(path.lower().endswith(_WEB) for path in changed):
            return [], ()
        written = [path for path in changed if path in sources.pages]
        if "index.html" in sources.pages and (not written or "index.html" in written):
            path = "."
        else:
            path = [*written, *sources.pages][0]
        try:
            report = await self._preview.serve(path)
            if report.state in ("no_answer", "no_browser"):
                return [report.reason] if report.state == "no_answer" else [], ()
        except PreviewError:
            return [], ()
        return [error_line(entry) for entry in report.errors], await self._use(path, expected) if use else ()

    async def _use(self, path: str, expected: Sequence[Expectation]) -> tuple[Fault, ...]:
        try:
            return (await self._preview.probe(path, expected)).faults
        except PreviewError as error:
            _log.debug("%s was not used: %s", path, error)
        except Exception:
            # What was found without it counts all the same.
            _log.exception("%s could not be used", path)
        return ()


def _fits(doubtful: str, prompt: str) -> bool:
    """Whether what may be wrong would show as the request says."""
    return " leaves out " not in doubtful or _LEFT_OUT.search(prompt) is not None


def _mistakes(sources: Sources) -> list[Finding]:
    """What no console shows, in scripts, styles and markup."""
    return [*script_pitfalls(sources), *style_pitfalls(sources), *hidden_for_good(sources)]
