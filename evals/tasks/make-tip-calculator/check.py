from evals.site import Site


async def check(site: Site) -> None:
    await site.open()
    await site.fill("#bill", "50")
    await site.fill("#percent", "15")
    await site.click("Calculate")
    await site.shows("7.50", "#tip", after="for 15 % of 50")
    await site.shows("57.50", "#total", after="for 15 % of 50")
    await site.fill("#bill", "19.99")
    await site.fill("#percent", "20")
    await site.click("Calculate")
    await site.shows("4.00", "#tip", after="for 20 % of 19.99")
    await site.shows("23.99", "#total", after="for 20 % of 19.99")
    site.no_errors()
