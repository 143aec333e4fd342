from evals.site import Site


async def check(site: Site) -> None:
    await site.open()
    await site.shows("0", "#count")
    await site.click("+", times=3)
    await site.shows("3", "#count", after="after + three times")
    await site.click("-")
    await site.shows("2", "#count", after="after + three times and - once")
    await site.click("Reset")
    await site.shows("0", "#count", after="after Reset")
    await site.click("-")
    await site.shows("-1", "#count", after="after Reset and -")
    site.no_errors()
