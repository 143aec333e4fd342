from evals.site import Site


async def check(site: Site) -> None:
    site.nothing_changed()
    site.says("3", "three")
    for name in ("Candle", "Chair", "Curtain"):
        site.says(name, f"{name}s")
