from evals.site import Site


async def check(site: Site) -> None:
    await site.open()
    await site.count("#fruit li", 6, after="at first")
    await site.shows("6", "#hits", after="at first")
    field = await site.find("#filter")
    await field.press_sequentially("APP")
    await site.count("#fruit li", 2, after="for APP")
    await site.shows("Pineapple", "#fruit", after="for APP")
    await site.hides("Grape", "#fruit", after="for APP")
    await site.shows("2", "#hits", after="for APP")
    await field.fill("")
    await field.press_sequentially("xyz")
    await site.count("#fruit li", 0, after="for xyz")
    await site.shows("0", "#hits", after="for xyz")
    for _ in range(3):
        await field.press("Backspace")
    await site.count("#fruit li", 6, after="with the field empty again")
    site.no_errors()
