from evals.site import Site


async def check(site: Site) -> None:
    async def colours(back: str, text: str, after: str) -> None:
        async def holds() -> bool:
            return [await site.style("body >> nth=0", name) for name in ("background-color", "color")] == [back, text]

        await site.until(holds, f"The colours {after} should be {back} with {text} text.")

    await site.open()
    await colours("rgb(255, 255, 255)", "rgb(20, 20, 20)", "at first")
    button = await site.find("Dark mode")
    await button.click()
    await colours("rgb(0, 0, 0)", "rgb(255, 255, 255)", "after a click on Dark mode")
    await button.click()
    await colours("rgb(255, 255, 255)", "rgb(20, 20, 20)", "after a second click")
    await site.shows("Corner shop", "h1")
    await site.count("#cart li", 3)
    await site.click("Remove last")
    await site.count("#cart li", 2, after="after Remove last")
    site.no_errors()
