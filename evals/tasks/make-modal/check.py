from evals.site import Site


async def check(site: Site) -> None:
    await site.open()
    await site.visible("#box", False, after="at first")
    await site.click("Open")
    await site.visible("#box", after="after Open")
    await site.shows("Hello from the box", "#box")
    await site.click("#box >> text=/^\\s*Close\\s*$/i")
    await site.visible("#box", False, after="after Close")
    await site.click("Open")
    await site.visible("#box", after="after the second Open")
    await site.page.keyboard.press("Escape")
    await site.visible("#box", False, after="after Escape")
    site.no_errors()
