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

    page = site.read("index.html")
    expect("words.length" not in page, "The script is still in index.html.")
    expect("words.length" in site.read("words.js"), "The script is not in words.js.")
