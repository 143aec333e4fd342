from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    await site.shows("0", "#count")
    expect(await site.text("#step") == "1", f"The step is {await site.text('#step')!r} at first, not 1.")
    await site.click("Add")
    await site.shows("1", "#count", after="after Add")
    await site.fill("#step", "5")
    await site.click("Add", times=2)
    await site.shows("11", "#count", after="after adding 1, 5 and 5")
    await site.click("Reset")
    await site.shows("0", "#count", after="after Reset")
    await site.click("Add")
    await site.shows("5", "#count", after="after Reset and adding 5")
    site.no_errors()
