from evals.site import Site


async def check(site: Site) -> None:
    site.unchanged("index.html", "app.js", "docs/app.js")
    await site.open("admin/index.html")
    await site.shows("not saved", "#state")
    await site.click("Save")
    await site.shows("stored", "#state", after="after Save on the admin page")
    site.no_errors()
    await site.open("index.html")
    await site.click("Save")
    await site.shows("saved", "#state", after="after Save on the start page")
    site.no_errors()
