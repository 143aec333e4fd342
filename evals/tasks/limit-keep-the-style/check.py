from evals.site import Site, expect


async def check(site: Site) -> None:
    site.unchanged("style.css", "shop.js")
    await site.open()
    await site.shows("Open from 8 to 18", "footer")
    heavy = """e => Math.max(
      ...[e, ...e.querySelectorAll('*')]
        .filter(x => x.textContent.includes('Open'))
        .map(x => +getComputedStyle(x).fontWeight)
    )"""
    weight = await site.page.locator("footer").evaluate(heavy)
    expect(weight >= 600, f"The footer is not bold (weight {weight}).")
    other = await site.page.locator("#cart").evaluate("e => +getComputedStyle(e).fontWeight")
    expect(other < 600, "More than the footer is bold.")
    await site.click("Remove last")
    await site.count("#cart li", 2, after="after Remove last")
    site.no_errors()
