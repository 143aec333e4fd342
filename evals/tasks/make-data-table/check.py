import json

from evals.site import Site, expect


async def check(site: Site) -> None:
    site.unchanged("people.json")

    async def order() -> list[str]:
        texts = await site.page.locator("#people td:first-child").all_inner_texts()
        # The header row may be made of plain cells.
        return [text.strip() for text in texts if text.strip() != "Name"]

    await site.open()
    for word in ("Name", "Age", "City", "Trier"):
        await site.shows(word, "#people")
    expect(await order() == ["Greta", "Ali", "Zoe", "Ben"], f"The rows are {await order()}, not in the file's order.")
    await site.click("Sort by age")

    async def sorted_rows() -> bool:
        return await order() == ["Ali", "Ben", "Greta", "Zoe"]

    await site.until(sorted_rows, "Sort by age does not put the rows from the youngest to the oldest.")
    site.no_errors()
    people = json.loads(site.read("people.json"))
    people.append({"name": "Quentin", "age": 77, "city": "Mainz"})
    (site.root / "people.json").write_text(json.dumps(people), "utf-8")
    await site.open()
    await site.shows("Quentin", "#people", after="with one more person in the file")
