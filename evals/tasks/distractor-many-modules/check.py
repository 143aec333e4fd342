from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    await site.shows("1.5 kg", "#weight")
    await site.shows("3.0 cm", "#size")
    site.only_changed("weight.js")
    other = await site.page.evaluate("import('/weight.js').then(m => m.weightText(2750))")
    expect(str(other).startswith(("2.8", "2.7")), f"2750 grams are shown as {other!r}.")
    site.no_errors()
