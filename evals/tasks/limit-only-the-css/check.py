from evals.site import Site, expect

# What a person sees behind the cells of each row: the colour of the cell, or that of the row if the cell has none.
_BEHIND = """rows => rows.map(row => {
  const clear = 'rgba(0, 0, 0, 0)';
  const own = (e) => getComputedStyle(e).backgroundColor;
  const behind = (cell) => [cell, row].map(own).find(colour => colour !== clear) || 'rgb(255, 255, 255)';
  const seen = [...row.cells].map(behind);
  return [...new Set(seen)].join(' and ');
})"""
_WHITE, _GREY = "rgb(255, 255, 255)", "rgb(238, 238, 238)"


async def _striped(site: Site, number: int, after: str) -> None:
    wanted = [_GREY if place % 2 else _WHITE for place in range(number)]
    seen: list[str] = []

    async def holds() -> bool:
        nonlocal seen
        seen = await site.page.locator("#trains tbody tr").evaluate_all(_BEHIND)
        return seen == wanted

    await site.until(holds, lambda: f"The rows {after} should have the backgrounds {wanted}, but they have {seen}.")


async def check(site: Site) -> None:
    site.only_changed("style.css")
    await site.open()
    await _striped(site, 3, "at first")
    await site.click("Later trains")
    await _striped(site, 6, "after Later trains")
    head = await site.page.locator("#trains thead tr").evaluate_all(_BEHIND)
    expect(head == ["rgb(0, 60, 120)"], "The head of the table lost its background.")
    expect(await site.style("#trains th", "color") == _WHITE, "The head of the table lost its colour.")
    expect(await site.style("#trains td", "font-weight") == "700", "The times are not bold any more.")
    expect(await site.style("#trains td", "padding-left") == "16px", "The cells lost their padding.")
    site.no_errors()
