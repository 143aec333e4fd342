"""Using a page as a request says it can be used: what it shows at first, and what a click on a named button changes.

Each expectation is looked at by itself. One whose element or button is not there, or not the only one of that name, is
left out: others tell what is missing.
"""

import asyncio
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from roomcode.preview.channel import GoneError
from roomcode.preview.choosing import AT_THE_END, CHOICES, unmet_choices
from roomcode.preview.page import LivePage
from roomcode.preview.types import Expectation, Fault, Limits

__all__ = ["unmet_expectations"]

_SETTLE, _AGAIN = 0.05, 0.05
"""Seconds after a click, and between two looks."""

_NARROWER = 9
"""Pixels that a screen is tried with less than its widest."""
_KEY_CODES = {"Escape": 27, "Enter": 13}
_NUMBER = re.compile(r"(?<![\d.])-?\d+(?:\.\d+)?")

_EYES = (
    r"""(() => {
  const listeners = getEventListeners;
  const BUTTONS = "button, input[type=button], input[type=submit], input[type=reset], [role=button], [role=tab], a, "
    + "summary, [onclick]";
  let turn = 0, result = null;
  const visible = e => {
    if (!e.checkVisibility({opacityProperty: true, visibilityProperty: true})) return false;
    const box = e.getBoundingClientRect(), fixed = getComputedStyle(e).position === "fixed";
    // Slid out of the page, or folded by what is around it.
    if (box.right + scrollX <= 0 || box.bottom + scrollY <= 0 || (fixed && (box.top >= innerHeight
      || box.left >= innerWidth))) return false;
    for (let p = e.parentElement; p && !fixed; p = p.parentElement) {
      if (getComputedStyle(p).overflowY !== "visible" && p !== document.body && p.offsetHeight === 0) return false;
    }
    return box.width > 0 && box.height > 0;
  };
  // What is there to be filled later takes no room yet.
  const empty = e => !e.children.length && !e.textContent.trim() && e.checkVisibility();
  const flat = text => text.replace(/\u2212|\u2013/g, "-").replace(/\s+/g, " ").trim().toLowerCase();
  const says = e => flat(e.matches("input") ? e.value : e.innerText);
  const read = id => {
    const e = document.getElementById(id);
    return e && {text: flat(e.matches("input, textarea, select") ? e.value : e.textContent),
      visible: visible(e), empty: empty(e)};
  };
  const work = {
    read: ids => Object.fromEntries(ids.map(id => [id, read(id)])),
    click(label) {
      const found = [...document.querySelectorAll(BUTTONS)].filter(e => visible(e) && says(e) === flat(label));
      const inner = found.filter(e => !found.some(other => other !== e && e.contains(other)));
      if (inner.length !== 1 || inner[0].disabled) return false;
      inner[0].click();
      return true;
    },
    // As a person types it: the last key comes when the text is there.
    fill([id, text]) {
      const e = document.getElementById(id);
      if (!e || !e.matches("textarea, input:not([type]), input[type=text], input[type=search]") || !visible(e)) {
        return false;
      }
      e.focus();
      e.value = text;
      e.dispatchEvent(new InputEvent("input", {bubbles: true, inputType: "insertText", data: text.slice(-1)}));
      for (const type of ["keydown", "keyup"]) {
        e.dispatchEvent(new KeyboardEvent(type, {key: text.slice(-1), bubbles: true}));
      }
      return true;
    },
  };
"""
    + CHOICES
    + r"""
  // Asked for the same turn again, it does nothing anew.
  return {call(number, method, given) {
    if (number !== turn) result = work[method](given);
    turn = number;
    return result;
  }};
})()"""
)


async def unmet_expectations(
    page: LivePage, url: str, name: str, expected: Sequence[Expectation], limits: Limits
) -> list[Fault]:
    """Load `url` in a page that nobody else uses and compare it with what is expected, one after the other. `name` is
    the page's project-relative path. Expectations of several controls alike want a page of their own."""
    if not expected or await page.open(url):
        return []
    began = time.monotonic()
    faults: list[Fault] = []
    try:
        eyes = _Eyes(page, await page.ask("Runtime.evaluate", {"expression": _EYES, "includeCommandLineAPI": True}))
        for one in expected:
            if time.monotonic() - began > limits.probe:
                break
            fault = await _unmet(eyes, one, name, limits) if one.ids else None
            if fault is not None:
                faults.append(fault)
        if alike := [one for one in expected if not one.ids]:
            faults += await unmet_choices(eyes, alike)
            faults += [fault for one in alike if one.kind == "stacked" for fault in await _beside(eyes, int(one.value))]
    except GoneError:
        # A page that hangs or goes somewhere else is told by those who use it freely.
        pass
    return faults


class _Eyes:
    """The object inside the page."""

    def __init__(self, page: LivePage, answer: Mapping[str, Any]) -> None:
        self.page = page
        self._object = str(answer.get("result", {}).get("objectId", ""))
        self._turn = 0

    async def call(self, method: str, given: object) -> Any:
        """Raises GoneError, also when the page went somewhere else."""
        self._turn += 1
        question = {
            "objectId": self._object,
            "functionDeclaration": f"function() {{ return this.call({self._turn}, '{method}', {json.dumps(given)}) }}",
            "returnByValue": True,
            "userGesture": True,
        }
        answer = await self.page.ask("Runtime.callFunctionOn", question)
        if "exceptionDetails" in answer:
            raise GoneError(f"{method}: {answer['exceptionDetails']}")
        return answer.get("result", {}).get("value")


async def _unmet(eyes: _Eyes, one: Expectation, name: str, limits: Limits) -> Fault | None:
    before = await eyes.call("read", list(one.ids))
    if not all(before.values()):
        return None
    if one.fill[0] and not await eyes.call("fill", list(one.fill)):
        return None
    labels = [label for label in (one.button, *one.then) if label]
    for label in labels:
        if not await eyes.call("click", label):
            return None
    if one.key:
        await _press(eyes.page, one.key, limits)
    if labels or one.key or one.fill[0]:
        await asyncio.sleep(_SETTLE)
    end = time.monotonic() + one.within
    while True:
        now = await eyes.call("read", list(one.ids))
        text = _difference(one, before, now, name) if all(now.values()) else ""
        if not text or time.monotonic() > end:
            break
        await asyncio.sleep(_AGAIN)
    named = ", ".join(json.dumps(label, ensure_ascii=False) for label in labels)
    action = f"a click on {named}" if labels else ""
    action = action or (f"the {one.key} key" if one.key else f'typing "{one.fill[1]}"' if one.fill[0] else "")
    return Fault("unmet", text, action) if text else None


async def _beside(eyes: _Eyes, width: int) -> list[Fault]:
    """What still stands side by side on a screen that is a little narrower than `width` pixels."""
    screen = {"width": width - _NARROWER, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    await eyes.page.ask("Emulation.setDeviceMetricsOverride", screen)
    await asyncio.sleep(_SETTLE)
    found = await eyes.call("beside", None)
    if found is None:
        return []
    name, rules = found
    text = f"on a screen of {screen['width']} pixels the parts of {name} stand side by side"
    return [Fault("unmet", f"{text}: write @media (max-width: {width}px) {{ {rules} }} {AT_THE_END}")]


async def _press(page: LivePage, key: str, limits: Limits) -> None:
    events = [
        {"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": _KEY_CODES[key]}
        for kind in ("keyDown", "keyUp")
    ]
    await asyncio.gather(
        *(page.channel.ask("Input.dispatchKeyEvent", event, limits.answer) for event in events), return_exceptions=True
    )


def _difference(one: Expectation, before: Mapping[str, Any], now: Mapping[str, Any], page: str) -> str:
    """What is not as expected, in one line; empty when it is."""
    first = one.ids[0]
    text, was = now[first]["text"], before[first]["text"]
    when = "" if one.button or one.key or one.fill[0] else " at first"
    if one.kind == "text":
        wanted = _number_in(one.value)
        if wanted is None:
            same = _plain(one.value) in _plain(text)
        elif one.then:
            # What was computed may stand behind what it was computed from.
            same = wanted in [float(number) for number in _NUMBER.findall(text)]
        else:
            # "0:10" may be right for 10.
            same = _number_in(text) == wanted if _number_in(text) is not None else re.search(r"\d", text) is not None
        return "" if same else f'#{first} shows "{text}"{when}; it should be {one.value}'
    if one.kind == "change":
        old, new = _number_in(was), _number_in(text)
        if old is None or new == old + float(one.value):
            return ""
        return f'#{first} shows "{text}", and "{was}" before; it should be {old + float(one.value):g}'
    if one.kind == "only":
        seen = [name for name in one.ids if now[name]["visible"]]
        if not one.value and len(seen) == 1:
            return ""
        for name in one.ids:
            if one.value and (name in seen) != (name == one.value):
                return _hidden_or_shown(name, name == one.value, when, page)
        return "" if one.value else _hidden_or_shown(one.ids[-1], False, when, page) if seen else ""
    shown = one.kind == "visible"
    met = now[first]["visible"] == shown or (shown and now[first]["empty"])
    return "" if met else _hidden_or_shown(first, shown, when, page)


def _hidden_or_shown(name: str, wanted: bool, when: str, page: str) -> str:
    if wanted:
        return f"#{name} cannot be seen{when}, and it should be"
    cure = f'{page}: #{name} is to be hidden at first: write style="display: none" into its tag'
    return cure if when else f"#{name} can still be seen, and should be hidden"


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().replace("’", "'")


def _number_in(text: str) -> float | None:
    """The number that a text holds, when it holds exactly one."""
    found = _NUMBER.findall(text.replace(",", ""))
    return float(found[0]) if len(found) == 1 else None
