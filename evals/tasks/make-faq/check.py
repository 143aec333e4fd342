import re

from evals.site import Site, expect

_FAQ = {
    "Do you deliver?": "Yes, within two days.",
    "Can I pay by card?": "Cards and cash are fine.",
    "Where are you?": "At the old harbour, gate 4.",
}
# Where a text can be seen, also if the answers are closed by a height of nothing; null if it cannot.
_TOP = """(wanted) => {
  const flat = (text) => text.replace(/\\s+/g, ' ').trim();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const e = node.parentElement;
    if (!flat(node.data).includes(wanted) || e.closest('script, style, template')) continue;
    if (!e.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    let [top, bottom] = [text.top, text.bottom];
    for (let box = e; box && box !== document.body; box = box.parentElement) {
      if (getComputedStyle(box).overflowY === 'visible') continue;
      top = Math.max(top, box.getBoundingClientRect().top);
      bottom = Math.min(bottom, box.getBoundingClientRect().bottom);
    }
    if (text.width && text.height && bottom - top > text.height / 2) return text.top;
  }
  return null;
}"""


async def _open(site: Site, wanted: list[str], after: str) -> None:
    """These answers can be read, and the others cannot."""
    seen: list[str] = []

    async def holds() -> bool:
        nonlocal seen
        seen = [answer for answer in _FAQ.values() if await site.page.evaluate(_TOP, answer) is not None]
        return seen == wanted

    await site.until(holds, lambda: f"The answers that can be read {after} should be {wanted}, but they are {seen}.")


async def _click(site: Site, question: str) -> None:
    await site.page.get_by_text(re.compile(re.escape(question))).locator("visible=true").first.click()


async def check(site: Site) -> None:
    await site.open()
    for question in _FAQ:
        expect(await site.page.evaluate(_TOP, question) is not None, f"The question {question!r} cannot be read.")
    await _open(site, [], "at first")
    for question, answer in [*_FAQ.items(), *list(_FAQ.items())[:1]]:
        await _click(site, question)
        await _open(site, [answer], f"after a click on {question!r}")
        above, below = [await site.page.evaluate(_TOP, text) for text in (question, answer)]
        expect(above is not None and above < below, f"The answer to {question!r} does not stand under it.")
    await _click(site, "Do you deliver?")
    await _open(site, [], "after a second click on 'Do you deliver?'")
    await _click(site, "Do you deliver?")
    await _open(site, ["Yes, within two days."], "after a third click on 'Do you deliver?'")
    for question in _FAQ:
        expect(await site.page.evaluate(_TOP, question) is not None, f"The question {question!r} is gone.")
    site.no_errors()
