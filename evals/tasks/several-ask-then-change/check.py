from evals.site import Site, expect


async def check(site: Site) -> None:
    site.says("3", "three", request=0)
    site.only_changed("settings.js")
    await site.open()
    kept = await site.page.evaluate("[settings.lives, settings.speed, settings.startLength, settings.wallsKill, lives]")
    expect(kept == [6, 140, 4, True, 6], f"lives, speed, startLength, wallsKill and the game's lives are {kept}.")
    site.no_errors()
