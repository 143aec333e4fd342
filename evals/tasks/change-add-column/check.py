from evals.site import Site


async def check(site: Site) -> None:
    await site.open()
    await site.shows("Phone", "thead")
    await site.shows("555-0100", "#rows tr td:nth-child(3)")
    await site.fill("#name", "Lars")
    await site.fill("#city", "Linz")
    await site.fill("#phone", "555-0177")
    await site.click("Add")
    await site.count("#rows tr", 2, after="after Add")
    for column, text in enumerate(("Lars", "Linz", "555-0177"), 1):
        await site.shows(text, f"#rows tr:nth-child(2) td:nth-child({column})", after="after adding Lars")
    await site.shows("Mia", "#rows tr:nth-child(1)", after="after adding Lars")
    site.no_errors()
