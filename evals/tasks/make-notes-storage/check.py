from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    expect(await site.text("#note") == "", "The textarea is not empty at first.")
    await site.fill("#note", "Buy 3 apples")
    await site.click("Save")
    await site.open()
    await site.shows("Buy 3 apples", "#note", after="after Save and a reload")
    await site.fill("#note", "not saved")
    await site.open()
    await site.shows("Buy 3 apples", "#note", after="after a change without Save and a reload")
    await site.click("Clear")
    await site.hides("Buy 3 apples", "#note", after="after Clear")
    await site.open()
    await site.hides("Buy 3 apples", "#note", after="after Clear and a reload")
    expect(
        await site.text("#note") in ("", "\n"), f"After Clear and a reload the note reads {await site.text('#note')!r}."
    )
    site.no_errors()
