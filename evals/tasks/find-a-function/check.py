from evals.site import Site


async def check(site: Site) -> None:
    site.nothing_changed()
    site.says("booking.js")
    site.says("60", "60.0", "60.00")
