from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    await site.shows("red", "#word")
    for word in ("green", "blue", "red"):
        await site.click("Next")
        await site.shows(word, "#word", after="after Next")
    expect(await site.style("h1 >> nth=0", "color") == "rgb(200, 0, 0)", "The heading lost its colour.")
    expect(await site.style("#word", "font-size") == "40px", "The word lost its size.")
    site.no_errors()

    expect("40px" not in site.read("index.html"), "The styles are still in index.html.")
    expect("40px" in site.read("style.css"), "The styles are not in style.css.")
