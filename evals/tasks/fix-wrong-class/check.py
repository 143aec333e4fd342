from evals.site import Site


async def check(site: Site) -> None:
    await site.open()
    await site.visible("#menu", False, after="at first")
    for after, wanted in (("one click", True), ("two clicks", False), ("three clicks", True)):
        await site.click("#menu-button")
        await site.visible("#menu", wanted, after=f"after {after}")
    await site.shows("About", "#menu")
    await site.shows("Welcome to the page.")
    site.no_errors()
