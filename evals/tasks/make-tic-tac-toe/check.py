from evals.site import Site, expect

_FIELDS = "#board button, #board [role=button]"
_MIDDLE = """([fields, place]) => {
  const field = document.querySelectorAll(fields)[place];
  if (!field) return null;
  field.scrollIntoView({block: 'nearest', behavior: 'instant'});
  const box = field.getBoundingClientRect();
  return box.width && box.height ? [box.x + box.width / 2, box.y + box.height / 2] : null;
}"""
# The same for a whole game at once: a hundred clicks of the mouse would take long.
_PLAY = """async ([fields, places]) => {
  for (const place of places) {
    const field = document.querySelectorAll(fields)[place];
    if (!field) return;
    field.scrollIntoView({block: 'nearest', behavior: 'instant'});
    const box = field.getBoundingClientRect();
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) || field;
    const held = hit.closest('button:disabled') ? [] : ['pointerdown', 'mousedown', 'pointerup', 'mouseup'];
    for (const type of held) hit.dispatchEvent(new PointerEvent(type, {bubbles: true, cancelable: true}));
    (hit.closest(fields) || hit).click();
    await new Promise(done => setTimeout(done));
  }
}"""
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


async def _take(site: Site, *places: int) -> None:
    """Click fields as a person does who does not know whether they can be clicked."""
    for place in places:
        middle = await site.page.evaluate(_MIDDLE, [_FIELDS, place])
        expect(middle, f"Field {place + 1} cannot be seen.")
        await site.page.mouse.click(*middle)


async def _play(site: Site, *places: int) -> None:
    await site.page.evaluate(_PLAY, [_FIELDS, places])


async def _board(site: Site, wanted: str, after: str) -> None:
    """The nine fields read like this, with - for an empty one."""
    seen = ""

    async def holds() -> bool:
        nonlocal seen
        texts = await site.page.locator(_FIELDS).all_inner_texts()
        seen = "".join(text.strip().upper() or "-" for text in texts)
        return seen == wanted

    await site.until(holds, lambda: f"The board {after} should be {wanted}, but it is {seen}.")


async def _in_rows(site: Site) -> bool:
    middles = [
        (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["height"] / 2)
        for box in [await field.bounding_box() for field in await site.page.locator(_FIELDS).all()]
        if box
    ]
    beside = all(
        abs(middles[k][1] - middles[k + 1][1]) < middles[k][2] and middles[k][0] < middles[k + 1][0]
        for k in (0, 1, 3, 4, 6, 7)
    )
    return beside and all(middles[k][1] < middles[k + 3][1] for k in range(6))


async def check(site: Site) -> None:
    await site.open()
    await site.count(_FIELDS, 9, after="at first")
    expect(await _in_rows(site), "The nine fields do not stand in three rows of three.")
    await site.shows("Next: X", "#status", after="at first")
    await _take(site, 0)
    await _board(site, "X--------", "after the first click")
    await site.shows("Next: O", "#status", after="after the first click")
    await _take(site, 0)
    await _board(site, "X--------", "after a click on a taken field")
    await site.shows("Next: O", "#status", after="after a click on a taken field")
    await _take(site, 4)
    await _board(site, "X---O----", "after the second turn")
    await site.shows("Next: X", "#status", after="after the second turn")

    for line in _LINES:
        await site.click("New game")
        # Of two fields outside the line O can make no line of its own.
        others = [place for place in range(9) if place not in line]
        await _play(site, line[0], others[0], line[1], others[1], line[2])
        await site.shows("X wins", "#status", after=f"after X took {', '.join(str(one + 1) for one in line)}")
    await _take(site, 0)
    await _board(site, "OOX-X-X--", "after a click on a taken field behind the end")
    await _take(site, 8)
    await _board(site, "OOX-X-X--", "after a click behind the end")
    await site.shows("X wins", "#status", after="after a click behind the end")

    await site.click("New game")
    await _board(site, "---------", "after New game")
    await site.shows("Next: X", "#status", after="after New game")
    await _play(site, 1, 2, 0, 5, 4, 8)
    await site.shows("O wins", "#status", after="after O took 3, 6, 9")
    await site.click("New game")
    await _board(site, "---------", "after New game when O had won")
    await site.shows("Next: X", "#status", after="after New game when O had won")
    await _play(site, 0, 1, 2, 4, 3, 5, 7, 6, 8)
    await site.shows("Draw", "#status", after="with a full board and no line")
    await site.click("New game")
    await _play(site, 0, 1, 2, 3, 4, 5, 7, 6, 8)
    await site.shows("X wins", "#status", after="with a line made by the last field")
    site.no_errors()
