from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    await site.shows("Market hall", "h1")
    await site.hides("Corner shop", "h1")
    colour = await site.style("#remove-last", "background-color")
    expect(colour == "rgb(0, 128, 0)", f"The button is {colour}, not green.")
    expect(await site.style("#cart", "background-color") != "rgb(0, 128, 0)", "More than the buttons is green.")
    expect(await site.style("h1 >> nth=0", "color") == "rgb(0, 80, 160)", "The colour of the heading was changed.")
    await site.count("#cart li", 3)
    await site.click("Remove last")
    await site.count("#cart li", 2, after="after Remove last")
    site.unchanged("shop.js")
    site.no_errors()
