from evals.site import Site, expect


async def check(site: Site) -> None:
    site.unchanged("style.css")
    await site.open()
    entries = [text.split()[0] for text in await site.page.locator("#cart li").all_inner_texts()]
    expect(entries == ["Bread", "Milk", "Cheese", "Butter"], f"The cart holds {entries}.")
    price = await site.page.locator("#cart li").last.get_attribute("data-price") or ""
    expect(price in ("3.10", "3.1"), f"The price of Butter is {price!r}.")
    await site.shows("Open from 9 to 20", "footer")
    await site.click("Remove last")
    await site.count("#cart li", 3, after="after Remove last")
    await site.click("Empty cart")
    await site.count("#cart li", 0, after="after Empty cart")
    await site.shows("Corner shop", "h1")
    site.no_errors()
