import re

from evals.site import Site, expect

_TITLES = (
    "Bakery opens on Sundays",
    "Bridge closed in May",
    "New trees on the square",
    "Choir looks for voices",
    "Bus 12 runs later",
    "Book sale in the library",
    "Pool gets a slide",
    "Market moves indoors",
    "Lost cat found",
    "Water is off on Friday",
    "Football club wins",
    "Fire brigade turns 100",
)


async def _press(site: Site, name: str) -> None:
    """Press a button if there is one that can be pressed: at an end there may be none."""
    button = site.page.get_by_role("button", name=re.compile(name, re.IGNORECASE))
    if await button.count() and await button.first.is_enabled():
        await button.first.click()


async def _titles(site: Site) -> list[str]:
    return [text.strip() for text in await site.page.locator("#news h2").locator("visible=true").all_inner_texts()]


async def _page(site: Site, number: int, after: str) -> None:
    wanted = list(_TITLES[number * 5 - 5 : number * 5])
    seen: list[str] = []

    async def holds() -> bool:
        nonlocal seen
        seen = await _titles(site)
        return seen == wanted

    await site.until(holds, lambda: f"The page {after} should list {', '.join(wanted)}, but it lists {seen}.")
    await site.shows(f"Page {number} of 3", "#page", after=after)


async def check(site: Site) -> None:
    await site.open()
    await _page(site, 1, "at first")
    await site.click("#news h2 >> text=Choir looks for voices")
    await site.shows("Rehearsals are on Tuesdays.", after="after a click on its heading")
    await site.click("#news h2 >> text=Choir looks for voices")
    await site.hides("Rehearsals are on Tuesdays.", after="after a second click on its heading")
    await site.click("Next")
    await _page(site, 2, "after Next")
    await site.click("#news h2 >> text=Lost cat found")
    await site.shows("Minka is home again.", after="after a click on its heading")
    await site.click("Next")
    await _page(site, 3, "after Next twice")
    await _press(site, "Next")
    read = await site.text("#page")
    expect(re.search(r"\b[13] of 3", read) and await _titles(site), f"Behind the last page the page reads {read!r}.")

    await site.open()
    await _press(site, "Previous")
    read = await site.text("#page")
    expect(re.search(r"\b[13] of 3", read) and await _titles(site), f"Before the first page the page reads {read!r}.")
    await site.open()
    await site.click("Next", times=2)
    await site.click("Previous")
    await _page(site, 2, "after Next twice and Previous")
    await site.click("Previous")
    await _page(site, 1, "after Next twice and Previous twice")

    above, below = [await (await site.find(what)).bounding_box() for what in ("#news", "Next")]
    expect(above and below and above["y"] < below["y"], "The buttons do not stand under the list.")
    await site.click("Large print")
    expect(await site.style("#news", "font-size") == "24px", "The button Large print does not work any more.")
    await site.shows("Village news", "h1")
    await site.shows("Printed by the town hall", "footer")
    expect(await site.style("h1 >> nth=0", "color") == "rgb(120, 30, 30)", "The heading lost its colour.")
    lines = await site.style("#news li >> visible=true", "border-bottom-color")
    expect(lines == "rgb(200, 180, 160)", "The entries of the list lost their style.")
    site.no_errors()
