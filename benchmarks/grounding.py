"""Edits with and without grounding, on a real model: `python -m benchmarks.grounding [MODEL] [--show] [--one-thread]`.

Ten small edits are asked for, each with the file's text in the request and an answer that begins with a call of
edit_file. Counted is what the tool would find: whether `old` stands in the file exactly once, and whether `new` is
something else.
"""

import asyncio
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.report import Figure, show
from roomcode import models
from roomcode.agent import Conversation, Turn, system_prompt
from roomcode.calls import CallConstraint, Edited, Levels, describe_tools, parse
from roomcode.calls.held import held_rules
from roomcode.chat import ChatTemplate, Form
from roomcode.engine.llama import LlamaEngine, LlamaOptions
from roomcode.protocol.engine import Generation, Mask, Rewrite, Sampling
from roomcode.protocol.tools import ToolSpec

__all__ = ["main"]

FORMS: tuple[Form, ...] = ("xml", "json")
LONG = 10_000

PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Bakery</title>
    <style>
      body { font-family: sans-serif; margin: 2rem; }
      h1 { color: #884400; }
      .price { color: green; font-weight: bold; }
    </style>
  </head>
  <body>
    <h1>Our bread</h1>
    <ul>
      <li>Rye <span class="price">3.20</span></li>
      <li>Spelt <span class="price">4.10</span></li>
    </ul>
    <button id="order" onclick="order()">Order</button>
    <p id="message"></p>
    <script src="shop.js"></script>
  </body>
</html>
"""
SCRIPT = """const prices = { rye: 3.2, spelt: 4.1 };
let count = 0;

function order() {
  count = count + 1;
  document.getElementById("message").textContent = "Ordered: " + count;
}

function total(items) {
  let sum = 0;
  for (let i = 0; i <= items.length; i++) {
    sum += prices[items[i]];
  }
  return sum;
}

function reset() {
  count = 0;
  document.getElementById("message").textContent = "";
}
"""
EDITS = (
    ("index.html", PAGE, "Change the heading to 'Fresh bread every day'.", "<h1>Fresh bread every day</h1>"),
    ("index.html", PAGE, "Make the heading blue instead of brown.", "h1 { color: (blue|#00f|#0000ff); }"),
    ("index.html", PAGE, "Rye bread costs 3.50 now.", r'Rye <span class="price">3\.50</span>'),
    ("index.html", PAGE, "Add a third bread to the list: Wheat for 2.80.", r"<li>\s*Wheat.*2\.80.*</li>\s*</ul>"),
    ("index.html", PAGE, "The page's title should be 'Village bakery'.", "<title>Village bakery</title>"),
    ("index.html", PAGE, "The button should say 'Buy now'.", ">Buy now</button>"),
    ("shop.js", SCRIPT, "Start counting at 10 instead of 0.", "let count = 10;"),
    (
        "shop.js",
        SCRIPT,
        "The loop in total goes one too far. Fix it.",
        r"i < items\.length; i\+\+|i <= items\.length - 1;",
    ),
    ("shop.js", SCRIPT, "The message should begin with 'You ordered ' instead of 'Ordered: '.", '"You ordered ?" ?\\+'),
    ("shop.js", SCRIPT, "Add a bread called wheat to the prices, it costs 2.8.", r"spelt: 4\.1, wheat: 2\.8"),
)
"""File, its text, what is asked for, and what the file has to hold then. No line but one may be lost."""


@dataclass
class Watched:
    """A constraint that notes which tokens were sampled and what masks cost, and ends the answer behind one call."""

    inner: CallConstraint
    end: int
    vocabulary: int
    tokens: list[tuple[int, bool]] = field(default_factory=list)
    """Each with whether it was sampled."""
    masks: list[float] = field(default_factory=list)
    """Seconds of processor time each."""
    rewrites: int = 0
    opened: bool = False

    @property
    def greedy(self) -> bool:
        return self.inner.greedy

    def mask(self) -> Mask | None:
        if self.opened and not self.inner.in_call:
            only = np.zeros((self.vocabulary + 31) // 32, np.int32)
            only[self.end // 32] = np.uint32(1 << (self.end % 32)).view(np.int32)
            return only
        started = time.thread_time()
        mask = self.inner.mask()
        self.masks.append(time.thread_time() - started)
        return mask

    def weigh(self, logits: npt.NDArray[np.float32]) -> None:
        self.inner.weigh(logits)

    def commit(self, token: int) -> Rewrite | None:
        rewrite = self.inner.commit(token)
        self.tokens.append((token, True))
        if rewrite is not None:
            self.rewrites += 1
            del self.tokens[len(self.tokens) - rewrite.drop :]
            self.tokens += [(token, False) for token in rewrite.tokens]
        return rewrite

    def forced(self) -> Sequence[int]:
        tokens = self.inner.forced()
        self.opened = self.opened or self.inner.in_call
        self.tokens += [(token, False) for token in tokens]
        return tokens


@dataclass(frozen=True, slots=True)
class Edit:
    """What came of one request."""

    found: bool
    """`old` stands in the file once."""
    differs: bool
    right: bool
    """It does what was asked for."""
    in_old: int
    """Tokens of `old`."""
    sampled: int
    """Of them, how many were sampled one by one."""
    text: str
    masks: tuple[float, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Bench:
    engine: LlamaEngine
    tools: tuple[ToolSpec, ...]
    sampling: Sampling

    async def edit(self, form: Form, name: str, text: str, wish: str, wanted: str, *, grounded: bool) -> Edit:
        engine = self.engine
        template = ChatTemplate(engine.info.template, bos=engine.info.bos, eos=engine.info.eos)
        talk = Conversation(
            engine, template, system_prompt(describe_tools(self.tools, form)), [], engine.info.end_tokens
        )
        talk.add(Turn("request", 1, 0, f"{name}:\n{text}\n{wish}"))
        calls = CallConstraint(
            form,
            self.tools,
            engine,
            engine.matcher,
            end_tokens=engine.info.end_tokens,
            levels=Levels(grounding=grounded),
            choices=lambda tool, parameter: (name,) if (tool, parameter) == ("edit_file", "path") else None,
            edited=Edited("edit_file", {name: text}.get),
            first=["edit_file"],
        )
        size = len(await engine.next_token_logits(talk.tokens))
        watched = Watched(calls, min(engine.info.end_tokens), size)
        started = time.perf_counter()
        answer = await engine.generate(Generation(talk.tokens, 600, self.sampling, watched), lambda *_: None)
        seconds = time.perf_counter() - started
        read = parse(answer.text, self.tools).calls
        old, new = (str(read[0].arguments.get(key, "")) if read else "" for key in ("old", "new"))
        count = sum(text.startswith(old, at) for at in range(len(text))) if old else 0
        in_old, sampled = self._of_old(watched.tokens, form)
        after = text.replace(old, new) if count == 1 and read[0].arguments.get("path") == name else text
        lost = set(text.split("\n")) - set(after.split("\n"))
        right = len(lost) <= 1 and re.search(wanted, after) is not None
        differs = old.strip() != new.strip()
        return Edit(count == 1, differs, right, in_old, sampled, answer.text, tuple(watched.masks), seconds)

    def _of_old(self, tokens: Sequence[tuple[int, bool]], form: Form) -> tuple[int, int]:
        opening, closing = ("<parameter=old>\n", "\n</parameter>") if form == "xml" else ('"old": "', '", "new"')
        written = ""
        count = sampled = 0
        for token, chosen in tokens:
            if opening in written and closing not in written.partition(opening)[2]:
                count += 1
                sampled += chosen
            written += self.engine.decode([token]).decode("utf-8", "replace")
        return count, sampled


def figures(form: Form, without: Sequence[Edit], within: Sequence[Edit]) -> list[Figure]:
    def both(name: str, off: str, on: str, goal: str = "") -> Figure:
        return Figure(f"{form}: {name}", f"{off} → {on}", goal)

    def missed(edits: Sequence[Edit]) -> str:
        return f"{sum(not e.found for e in edits)}"

    def copies(edits: Sequence[Edit]) -> str:
        return f"{sum(not e.differs for e in edits)}"

    def right(edits: Sequence[Edit]) -> str:
        return f"{sum(e.right for e in edits)}"

    def sampled(edits: Sequence[Edit]) -> str:
        return f"{sum(e.sampled for e in edits) / len(edits):.1f} of {sum(e.in_old for e in edits) / len(edits):.1f}"

    def mask(edits: Sequence[Edit]) -> str:
        costs = [cost for e in edits for cost in e.masks]
        return f"{np.mean(costs) * 1e6:.0f}"

    def seconds(edits: Sequence[Edit]) -> str:
        return f"{sum(e.seconds for e in edits) / len(edits):.1f}"

    return [
        both(f"old not in the file once, of {len(within)}", missed(without), missed(within), "0"),
        both(f"new is a copy of old, of {len(within)}", copies(without), copies(within)),
        both(f"does what was asked for, of {len(within)}", right(without), right(within)),
        both("sampled tokens of old", sampled(without), sampled(within), "at most half"),
        both("a mask, µs", mask(without), mask(within)),
        both("an edit, s", seconds(without), seconds(within)),
    ]


def build_times(engine: LlamaEngine) -> list[Figure]:
    """Processor time of making and compiling the grammar of one edit, for a long file."""
    text = "".join(f"{SCRIPT}// part {n}\n".replace("count", f"count{n}") for n in range(20))[:LONG]
    found = []
    for form in FORMS:
        times = []
        for _ in range(3):
            started = time.thread_time()
            rules = held_rules(text, "old", form)
            engine.matcher(f"start: held\n{rules}").mask()
            times.append(time.thread_time() - started)
        found.append(Figure(f"{form}: grammar of a file of {LONG:,} characters", f"{min(times) * 1e3:.0f} ms"))
    return found


async def run(path: Path, *, shown: bool, threads: int) -> list[Figure]:
    from roomcode.tools import file_tools
    from roomcode.workspace import Workspace

    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder))
        tools = tuple(tool.spec for tool in file_tools(workspace))
        workspace.close()
    engine = await LlamaEngine.load(path, path.stem, LlamaOptions(4096, threads))
    profile = models.profile_for(models.inspect(path), models.load_catalogue())
    bench = Bench(engine, tools, profile.sampling)
    result: list[Figure] = []
    for form in FORMS:
        edits: dict[bool, list[Edit]] = {False: [], True: []}
        for name, text, wish, wanted in EDITS:
            for grounded in (False, True):
                edit = await bench.edit(form, name, text, wish, wanted, grounded=grounded)
                edits[grounded].append(edit)
                if shown:
                    facts = f"found={edit.found} differs={edit.differs} right={edit.right}"
                    print(f"--- {form} grounded={grounded} {wish} {facts}\n{edit.text}", flush=True)
        result += figures(form, edits[False], edits[True])
    result += build_times(engine)
    await engine.close()
    return result


def main(arguments: Sequence[str]) -> None:
    names = [argument for argument in arguments if not argument.startswith("-")]
    path = models.resolve(names[0] if names else "", models.models_dir(), models.load_catalogue())
    result = asyncio.run(run(path, shown="--show" in arguments, threads=1 if "--one-thread" in arguments else 0))
    show(f"Edits ({path.stem}), without → with grounding", result)


if __name__ == "__main__":
    main(sys.argv[1:])
