import re

from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    await site.fill("#net", "50")
    await site.click("Show")
    await site.shows("60.00", "#gross", after="for 50")
    await site.shows("Tax: 10.00", "#note", after="for 50")
    kinds = await site.page.evaluate("[typeof window.calc, typeof window.grossPrice, typeof window.calcNote]")
    expect(kinds[1] == "function", "There is no function grossPrice.")
    expect(kinds[0] != "function", "The function calc is still there.")
    expect(kinds[2] == "function", "The function calcNote is gone.")
    for path in ("tax.js", "app.js"):
        expect(not re.search(r"\bcalc\s*\(", site.read(path)), f"{path} still calls calc.")
    site.unchanged("index.html")
    site.no_errors()
