from evals.site import Site


async def check(site: Site) -> None:
    await site.open(clock=True)
    await site.shows("10", "#time")
    await site.page.clock.run_for(3000)
    await site.shows("10", "#time", after="before Start")
    await site.click("Start")
    await site.page.clock.run_for(3050)
    await site.shows("7", "#time", after="3 seconds after Start")
    await site.click("Pause")
    await site.page.clock.run_for(5000)
    await site.shows("7", "#time", after="5 seconds after Pause")
    await site.hides("Time is up", after="before the end")
    await site.click("Start")
    await site.page.clock.run_for(2050)
    await site.shows("5", "#time", after="2 seconds after the second Start")
    await site.page.clock.run_for(9000)
    await site.shows("0", "#time", after="when the time is over")
    await site.shows("Time is up", "#message", after="when the time is over")
    site.no_errors()
