from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    read = site.page.locator("#scores li").all_inner_texts
    expect(await read() == ["7", "100", "25", "9", "81"], "The scores are sorted before the click.")
    await site.click("Best first")

    async def sorted_scores() -> bool:
        return await read() == ["100", "81", "25", "9", "7"]

    await site.until(sorted_scores, "After Best first the scores are not in order from 100 to 7.")
    site.no_errors()
