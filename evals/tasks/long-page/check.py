from evals.site import Site, expect


async def check(site: Site) -> None:
    facts = {
        "Mercury": "88 days",
        "Venus": "225 days",
        "Earth": "365 days",
        "Mars": "687 days",
        "Jupiter": "12 years",
        "Saturn": "29 years",
        "Uranus": "84 years",
        "Neptune": "165 years",
    }
    await site.open()
    for planet, time in facts.items():
        await site.shows(planet, f"#{planet.lower()} h2")
        await site.shows(time, f"#{planet.lower()}")
        back = site.page.locator(f"#{planet.lower()} a", has_text="Back to the top")
        expect(await back.count() == 1, f"The section {planet} has no link back to the top.")
        expect((await back.get_attribute("href") or "").endswith("#top"), f"The link back of {planet} leads elsewhere.")
        expect(await site.page.locator(f"#top a[href$='#{planet.lower()}']").count(), f"No link leads to {planet}.")
    await site.page.locator("#top a[href$='#neptune']").first.click()

    async def arrived() -> bool:
        box = await site.page.locator("#neptune").bounding_box()
        return bool(box and box["y"] + box["height"] >= 0 and box["y"] < 700)

    await site.until(arrived, "The link to Neptune does not lead to its section.")
    site.no_errors()
