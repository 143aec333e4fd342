from evals.site import Site, expect


async def _rows(site: Site, wanted: list[list[str]], after: str) -> None:
    seen: list[list[str]] = []

    async def holds() -> bool:
        nonlocal seen
        seen = [text.split() for text in await site.page.locator("#prices tr").all_inner_texts()]
        return seen == wanted

    await site.until(holds, lambda: f"The price list {after} should read {wanted}, but it reads {seen}.")


async def check(site: Site) -> None:
    await site.open()
    await _rows(site, [["Hammer", "12.00"], ["Saw", "18.00"], ["Ladder", "60.00"], ["Bucket", "5.00"]], "at first")
    await site.click("Add tax")
    taxed = [["Hammer", "15.00"], ["Saw", "22.50"], ["Ladder", "75.00"], ["Bucket", "6.25"]]
    await _rows(site, taxed, "after Add tax")
    await site.shows("Prices", "h1")
    expect(not await site.page.locator("#prices th").count(), "The price list got a heading.")
    site.no_errors()
