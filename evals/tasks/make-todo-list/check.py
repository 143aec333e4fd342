from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    for text in ("Milk", "Bread", "Eggs"):
        await site.fill("#new-item", text)
        await site.click("Add")
        await site.shows(text, "#items", after=f"after adding {text}")
    await site.count("#items li", 3, after="after adding three")
    expect(not await site.text("#new-item"), "The field keeps its text after Add.")
    await site.click("Add")
    await site.count("#items li", 3, after="after Add with an empty field")
    await site.page.locator("#items li", has_text="Bread").get_by_role("button").click()
    await site.count("#items li", 2, after="after deleting Bread")
    await site.hides("Bread", "#items", after="after deleting it")
    await site.shows("Milk", "#items", after="after deleting Bread")
    await site.shows("Eggs", "#items", after="after deleting Bread")
    site.no_errors()
