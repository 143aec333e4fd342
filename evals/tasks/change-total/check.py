from evals.site import Site


async def check(site: Site) -> None:
    await site.open()
    await site.shows("8.00", "#total")
    await site.count("#cart li", 3)
    await site.click("Remove last")
    await site.count("#cart li", 2, after="after Remove last")
    await site.shows("3.70", "#total", after="after Remove last")
    await site.click("Remove last", times=3)
    await site.shows("0.00", "#total", after="with an empty cart")
    await site.shows("Corner shop", "h1")
    await site.shows("Open from 8 to 18", "footer")
    site.unchanged("style.css")
    site.no_errors()
