from evals.site import Site


async def check(site: Site) -> None:
    await site.open()
    for first, second, total in (("2", "3", "5"), ("10", "-4", "6"), ("1.5", "2.25", "3.75")):
        await site.fill("#first", first)
        await site.fill("#second", second)
        await site.click("#equals")
        await site.shows(total, "#sum", after=f"for {first} + {second}")
    site.no_errors()
