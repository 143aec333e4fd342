from evals.site import Site


async def check(site: Site) -> None:
    site.unchanged("js/main.old.js", "js/main.backup.js")
    await site.open()
    await site.click("Hello")
    await site.shows("Good evening", "#text", after="after Hello")
    await site.hides("Good morning", after="after Hello")
    await site.shows("Greeting", "h1")
    site.no_errors()
