from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    names = [text.strip() for text in await site.page.locator("#planets li").all_inner_texts()]
    wanted = ["Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"]
    expect(names == wanted, f"The page lists {', '.join(names)}.")
    await site.shows("8 planets", "#number")
    site.no_errors()
