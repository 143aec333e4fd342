from evals.site import Site


async def check(site: Site) -> None:
    await site.open()
    await site.count("#days li", 3)
    await site.shows("Tuesday: 15 degrees", "#days")
    await site.shows("Weather", "h1")
    site.no_errors()
