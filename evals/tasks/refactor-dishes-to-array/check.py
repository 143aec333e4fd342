import re

from evals.site import Site, expect

_DISHES = {
    "Lasagne": "9.80",
    "Lentil soup": "6.40",
    "Fried trout": "13.20",
    "Mushroom risotto": "10.50",
    "Goulash": "11.90",
    "Apple pancake": "7.60",
}
_VEGETARIAN = ("Lentil soup", "Mushroom risotto", "Apple pancake")


async def _listed(site: Site, names: list[str], after: str) -> None:
    wanted = [f"{name} {_DISHES[name]}" for name in names]
    seen: list[str] = []

    async def holds() -> bool:
        nonlocal seen
        texts = await site.page.locator("#dishes li").locator("visible=true").all_inner_texts()
        seen = [" ".join(text.split()) for text in texts]
        return seen == wanted

    await site.until(holds, lambda: f"The page {after} should list {wanted}, but it lists {seen}.")
    await site.shows(f"{len(names)} dishes today", after=after)


async def check(site: Site) -> None:
    await site.open()
    await _listed(site, list(_DISHES), "at first")
    await site.click("Vegetarian only")
    await _listed(site, list(_VEGETARIAN), "after Vegetarian only")
    await site.click("Vegetarian only")
    await _listed(site, list(_DISHES), "after Vegetarian only twice")
    await site.shows("Lunch at the Mill", "h1")
    weight = await site.page.get_by_text("Goulash").first.evaluate("e => getComputedStyle(e).fontWeight")
    expect(weight == "700", "The names of the dishes are not bold any more.")
    colour = await site.page.get_by_text("11.90").first.evaluate("e => getComputedStyle(e).color")
    expect(colour == "rgb(0, 110, 60)", "The prices lost their colour.")
    line = await site.style("#dishes li", "border-bottom-style")
    expect(line == "dotted", "The lines between the dishes are gone.")
    site.unchanged("style.css")
    site.no_errors()

    page, script = site.read("index.html"), site.read("menu.js")
    for name in _DISHES:
        expect(name not in page, f"{name} still stands in index.html.")
        expect(name in script, f"{name} does not stand in menu.js.")
    expect("[" in script, "There is no array in menu.js.")
    expect(len(re.findall(r"<li\b", script)) <= 2, "The markup in menu.js is still written out for each dish.")
