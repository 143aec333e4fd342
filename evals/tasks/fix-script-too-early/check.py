from evals.site import Site


async def check(site: Site) -> None:
    await site.open()
    await site.fill("#who", "Ida")
    await site.click("Greet")
    await site.shows("Hello, Ida!", "#greeting", after="after Greet")
    await site.shows("Greeter", "h1")
    site.no_errors()
