from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    total = 0
    for number in range(1, 7):
        await site.click("Roll")
        await site.shows(str(number), "#rolls", after=f"after {number} rolls")
        total += int(await site.text("#result"))
        await site.shows(
            f"{round(total / number + 1e-9, 1):.1f}", "#average", after=f"after {number} rolls with a sum of {total}"
        )
    site.no_errors()
    new = sorted(path.name for path in site.root.glob("*") if path.name not in ("index.html", "dice.js", ".roomcode"))
    expect(not new, f"A new file was made: {', '.join(new)}.")
