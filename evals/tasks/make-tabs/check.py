from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    panels = ("home", "news", "contact")

    async def only(shown: str, after: str) -> None:
        for panel in panels:
            await site.visible(f"#{panel}", panel == shown, after=after)
        expect((await site.text(f"#{shown}")).strip(), f"The panel {shown} is empty.")

    await only("home", "at first")
    for panel in ("news", "contact", "home", "contact"):
        await site.click(panel.capitalize())
        await only(panel, f"after a click on {panel.capitalize()}")
    site.no_errors()
