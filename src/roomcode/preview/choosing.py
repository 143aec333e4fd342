"""Using several controls alike one after the other, where a request says that one at a time is open or chosen, and
looking at rows alike, where it says that every second one has a colour, and for styles that never show.

What a control changes is what can be seen: whether an element is visible, and its colours. A page whose controls are
made anew by a click, or of which none changes anything else than texts, is left alone.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from roomcode.preview.types import Expectation, Fault

__all__ = ["AT_THE_END", "CHOICES", "Hands", "unmet_choices"]

AT_THE_END = "at the end of the styles"
"""Where a rule goes."""
_SETTLE = 0.08
"""Seconds after a click."""
_MOST_GROUPS = 4

CHOICES = r"""
  const CLICKED = "button, input[type=button], [role=button], [role=tab], summary, [onclick]";
  const MOST = 3000;
  let all = [], group = [], shots = {}, texts = {};
  const heard = e => e.matches(CLICKED) || "click" in listeners(e);
  const controls = () => [...document.body.querySelectorAll("*")].filter(e => heard(e) && visible(e)
    && !e.matches("input:not([type=button]), select, textarea, form, a[href]"));
  const alike = e => [e.localName, e.parentElement.localName, ...[...e.parentElement.classList].sort()].join("|");
  const groups = () => {
    const list = controls(), found = new Map();
    for (const e of list.filter(one => !list.some(other => other !== one && one.contains(other)))) {
      found.set(alike(e), [...(found.get(alike(e)) || []), e]);
    }
    return [...found.values()].filter(one => one.length > 1 && one.every(e => !e.disabled))
      .sort((a, b) => b.length - a.length);
  };
  const shot = () => all.map(e => {
    if (!e.isConnected || !visible(e)) return "";
    const {color, backgroundColor, fill} = getComputedStyle(e);
    return [color, backgroundColor, fill].join();
  });
  const rest = () => {
    for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish();
  };
  const label = e => JSON.stringify((e.innerText || e.value || "").replace(/\s+/g, " ").trim().slice(0, 30)
    || "#" + (e.id || group.indexOf(e) + 1));
  const named = e => {
    const same = group.filter(one => label(one) === label(e)).length;
    return same > 1 ? `${label(e)} number ${group.indexOf(e) + 1}` : label(e);
  };
  const differ = (a, b) => all.map((e, i) => i).filter(i => shots[a][i] !== shots[b][i]);
  const inline = new Map();
  const PROPERTIES = ["display", "visibility", "opacity", "color", "backgroundColor", "maxHeight", "fill"];
  // What puts the elements back that differ from how they were at first, as a statement; "" when that is not known.
  const putBack = places => {
    const e = all[places[0]], was = inline.get(e);
    if (places.some(i => all[i].localName !== e.localName)) return "";
    const property = PROPERTIES.find(one => e.style[one] !== was.style[one]);
    const added = [...e.classList].find(one => !was.classes.includes(one));
    const gone = was.classes.find(one => !e.classList.contains(one));
    let change = "";
    if (property) change = `one.style.${property} = ${JSON.stringify(was.style[property])}`;
    else if (added) change = `one.classList.remove(${JSON.stringify(added)})`;
    else if (gone) change = `one.classList.add(${JSON.stringify(gone)})`;
    else if (e.hidden !== was.hidden) change = `one.hidden = ${was.hidden}`;
    if (!change) return "";
    const common = was.classes.find(one => one !== gone && places.every(i => inline.get(all[i]).classes.includes(one)));
    const harmless = group.every(one => one.localName === e.localName) && group.includes(e);
    const selector = common ? "." + common : harmless ? e.localName : "";
    return selector && `document.querySelectorAll(${JSON.stringify(selector)}).forEach(one => { ${change} });`;
  };
  const styleRules = () => [...document.styleSheets].flatMap(sheet => {
    try { return [...sheet.cssRules]; } catch { return []; }
  }).filter(rule => rule instanceof CSSStyleRule && !/[:,\[]/.test(rule.selectorText));
  Object.assign(work, {
    groups: () => groups().length,
    // The group that is used from now on: the labels of its first and its last, null when there is none.
    group(number) {
      group = groups()[number] || [];
      all = [document.body, ...document.body.querySelectorAll("*")].slice(0, MOST);
      inline.clear();
      for (const e of all) {
        const style = Object.fromEntries(PROPERTIES.map(one => [one, e.style ? e.style[one] : ""]));
        inline.set(e, {style, classes: [...e.classList], hidden: e.hidden});
      }
      return group.length ? [named(group[0]), named(group.at(-1))] : null;
    },
    use(last) {
      const e = group.at(last ? -1 : 0);
      if (!e.isConnected || !visible(e)) return false;
      e.click();
      return true;
    },
    look(name) {
      rest();
      shots[name] = shot();
      texts[name] = document.body.innerText;
      return group.every(e => e.isConnected && visible(e));
    },
    // "" when the second, fourth … row or entry has the colour and no other one; what is wrong with them else, and the
    // rule that makes it right where none has it.
    stripes(colour) {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.backgroundColor = colour;
      const wanted = getComputedStyle(probe).backgroundColor;
      probe.remove();
      const has = e => getComputedStyle(e).backgroundColor === wanted;
      const lists = [...document.querySelectorAll("tbody, ul, ol")].map(list => [...list.children]
        .filter(e => e.matches("tr, li") && visible(e))).filter(rows => rows.length > 2);
      const found = lists.filter(rows => rows.some(e => has(e) || [...e.children].some(has)));
      if (lists.length === 1 && !found.length) {
        const row = lists[0][0], holder = row.parentElement.closest("[id]");
        const by = styleRules().filter(one => one.style.backgroundColor && row.matches(one.selectorText)).at(-1);
        const plain = [holder ? "#" + holder.id : "", row.matches("tr") ? "tbody tr" : "li"].filter(Boolean).join(" ");
        return [`no row or entry has the background ${colour}`,
          `${by ? by.selectorText : plain}:nth-child(even) { background-color: ${colour}; }`];
      }
      if (lists.length && !found.length) return [`no row or entry has the background ${colour}`, ""];
      for (const rows of found) {
        const wrong = rows.findIndex((e, i) => (has(e) || [...e.children].some(has)) !== (i % 2 === 1));
        if (wrong >= 0) return [`number ${wrong + 1} has ${wrong % 2 ? "not " : ""}the background ${colour}`, ""];
      }
      return ["", ""];
    },
    // What stands side by side, and the rules under which it does not; null when nothing does.
    beside() {
      const named = e => e.id ? "#" + e.id : e.classList.length ? "." + e.classList[0] : "";
      const boxes = e => [...e.children].filter(one => visible(one) && one.offsetHeight > 30 && one.offsetWidth > 40
        && !one.matches("a, button, input, select, label, span, td, th, tr, tbody, thead, img, canvas"));
      const rows = [...document.body.querySelectorAll("*")].filter(e => named(e) && boxes(e).length > 1
        && boxes(e).every(one => Math.abs(one.offsetTop - boxes(e)[0].offsetTop) < 2));
      if (rows.length !== 1) return null;
      const e = rows[0], parts = boxes(e), {display} = getComputedStyle(e);
      const common = [...parts[0].classList].find(name => parts.every(one => one.classList.contains(name)));
      const part = common ? "." + common : `${named(e)} > ${parts[0].localName}`;
      const holder = display.includes("flex") ? "flex-direction: column;"
        : display.includes("grid") ? "grid-template-columns: 1fr;" : "";
      const free = holder ? "width: auto;" : "display: block; float: none; width: auto;";
      return [named(e), `${holder ? `${named(e)} { ${holder} } ` : ""}${part} { ${free} }`];
    },
    // Of the rules of a class the first whose colour nothing shows that it applies to: its selector, the property, the
    // selector that overrules it, and one that overrules that. null when there is none.
    styles() {
      const rules = styleRules();
      const shown = (property, value) => {
        const probe = document.body.appendChild(document.createElement("i"));
        probe.style[property] = value;
        const computed = getComputedStyle(probe)[property];
        probe.remove();
        return computed;
      };
      const spoken = e => [e, ...e.querySelectorAll("*")].filter(one => visible(one)
        && [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
      for (const rule of rules.filter(one => /\.[\w-]+$/.test(one.selectorText))) {
        for (const property of ["color", "backgroundColor"]) {
          const value = rule.style[property];
          if (!value || /var\(|inherit|initial|unset|currentcolor/i.test(value)) continue;
          const wanted = shown(property, value);
          const meant = [...document.querySelectorAll(rule.selectorText)].filter(visible);
          const places = meant.flatMap(e => property === "color" ? spoken(e) : [e]);
          if (!places.length || places.some(e => getComputedStyle(e)[property] === wanted)) continue;
          const e = places[0], now = getComputedStyle(e)[property];
          const others = rules.filter(one => one !== rule && one.style[property] && e.matches(one.selectorText)
            && shown(property, one.style[property]) === now);
          if (!others.length || e.style[property]) continue;
          const by = others.at(-1).selectorText, own = rule.selectorText.match(/\.[\w-]+$/)[0];
          const parts = by.split(" ");
          const better = e.matches(rule.selectorText) ? by + own : [...parts.slice(0, -1), own, parts.at(-1)].join(" ");
          if (!/[>+~]/.test(by)) return [rule.selectorText, property === "color" ? "color" : "background", by, better];
        }
      }
      return null;
    },
    differ: ([a, b]) => differ(a, b).length,
    reads: ([a, b]) => texts[a] !== texts[b],
    // What looks in `now` as in `other`, and not as in `wanted`: how much that is, and what puts it back.
    left([now, other, wanted]) {
      const places = differ(now, wanted).filter(i => shots[now][i] === shots[other][i]);
      return [places.length, places.length ? putBack(places) : ""];
    },
  });
"""
"""Goes into the object of `expecting`, which has `listeners`, `visible`, `flat` and `work`."""


class Hands(Protocol):
    """The object inside the page."""

    async def call(self, method: str, given: object) -> Any: ...


async def unmet_choices(hands: Hands, expected: Sequence[Expectation]) -> list[Fault]:
    """What is not as `expected`, of which only kinds count that are about several controls. The page is as it was
    loaded."""
    kinds: set[str] = {one.kind for one in expected}
    for one in expected:
        if one.kind == "stripes":
            wrong, rule = await hands.call("stripes", one.value)
            cure = f": write {rule} {AT_THE_END}" if rule else ", which is :nth-child(even)"
            if wrong:
                return [Fault("unmet", f"{wrong}; every second one should have it{cure}")]
    if "styles" in kinds and (found := await hands.call("styles", None)) is not None:
        rule, name, other, better = found
        return [Fault("unmet", f"{rule} never shows its {name}, {other} overrules it: write {better} there")]
    if kinds <= {"stripes", "styles", "stacked"}:
        return []
    single = next((one.button for one in expected if one.kind == "again" and one.button), "")
    if single:
        return await _twice(hands, single)
    many = min(await hands.call("groups", None), _MOST_GROUPS)
    reacted = False
    for number in range(many):
        names = await hands.call("group", number)
        if names is None:
            break
        if not await hands.call("look", "start"):
            continue
        if not (await _use(hands, False, "first") and await _use(hands, True, "other")):
            return []
        if not await hands.call("differ", ["first", "other"]):
            for now in ("first", "other"):
                for question in ("differ", "reads"):
                    reacted = reacted or bool(await hands.call(question, ["start", now]))
            continue
        return await _judged(hands, kinds, *names)
    if many == 1 and not reacted and (names := await hands.call("group", 0)) is not None:
        return [Fault("unmet", "changes nothing that can be seen", f"a click on {names[0]}")]
    return []


async def _twice(hands: Hands, label: str) -> list[Fault]:
    """A button alone that is to take back what it did."""
    await hands.call("group", _MOST_GROUPS * 99)  # none: everything is looked at
    await hands.call("look", "start")
    for name in ("first", "again"):
        if not await hands.call("click", label):
            return []  # its text has changed, or others are called like it
        await asyncio.sleep(_SETTLE)
        await hands.call("look", name)
    if not (await hands.call("left", ["again", "first", "start"]))[0]:
        return []
    text = "what the first one changed can still be seen: look at how it is, and change it back when it is so already"
    return [Fault("unmet", text, f'a second click on "{label}"')]


async def _judged(hands: Hands, kinds: set[str], first: str, other: str) -> list[Fault]:
    if not await _use(hands, False, "back"):
        return []
    if "alone" in kinds:
        many, cure = await hands.call("left", ["back", "other", "first"])
        if many:
            text = f"and then on {first} what {other} changed can still be seen"
            told = f": put it back first, write {cure} where a click is handled" if cure else ": put it back first"
            return [Fault("unmet", text + told, f"a click on {other}")]
    still = ["first", "start"]
    if (
        "again" in kinds
        and (await hands.call("left", ["back", *still]))[0]
        # Where the other one had closed it, that click has opened it again.
        and await _use(hands, False, "again")
        and (await hands.call("left", ["again", *still]))[0]
    ):
        return [Fault("unmet", "what the first one opened can still be seen", f"a second click on {first}")]
    return []


async def _use(hands: Hands, last: bool, name: str) -> bool:
    if not await hands.call("use", last):
        return False
    await asyncio.sleep(_SETTLE)
    return bool(await hands.call("look", name))
