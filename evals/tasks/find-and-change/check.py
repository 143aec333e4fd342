from evals.site import Site


async def check(site: Site) -> None:
    await site.open("contact.html")
    await site.shows("555-0199")
    await site.hides("555-0142")
    await site.shows("Contact", "h1")
    await site.open("index.html")
    await site.shows("Hotel Seeblick", "h1")
    site.only_changed("contact.html")
    site.no_errors()
