from evals.site import Site


async def check(site: Site) -> None:
    await site.open()
    await site.count("#books li", 4)
    for text in ("Emma (1815)", "Dracula (1897)", "Heidi (1880)", "Momo (1973)"):
        await site.shows(text, "#books")
    site.no_errors()
