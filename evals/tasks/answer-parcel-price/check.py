from evals.site import Site


async def check(site: Site) -> None:
    site.nothing_changed()
    site.says("18.60", "18.6", "18,60", "18,6")
