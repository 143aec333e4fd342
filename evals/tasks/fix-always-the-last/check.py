from evals.site import Site, expect

_PEOPLE = {"Lyon": "520 000", "Porto": "230 000", "Ghent": "260 000", "Turin": "850 000"}


async def check(site: Site) -> None:
    await site.open()
    await site.shows("Choose a city.", "#info", after="at first")
    names = [text.strip() for text in await site.page.locator("#buttons button").all_inner_texts()]
    expect(names == list(_PEOPLE), f"The buttons are {', '.join(names) or 'gone'}.")
    for name in ("Lyon", "Porto", "Ghent", "Turin", "Lyon"):
        await site.click(name)
        await site.shows(f"{name}: {_PEOPLE[name]} inhabitants", "#info", after=f"after a click on {name}")
    site.no_errors()
