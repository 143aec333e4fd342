from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    for number in range(1, 9):
        await site.click("Roll")
        await site.shows(str(number), "#rolls", after=f"after {number} rolls")
        expect(
            await site.text("#result") in ["1", "2", "3", "4", "5", "6"],
            f"The result is {await site.text('#result')!r}.",
        )
    site.no_errors()
