import re

from evals.site import Site

_ROW = "#invoices tbody tr"


def _name(colour: str) -> str:
    parts = [float(part) for part in re.findall(r"[\d.]+", colour)][:3]
    if parts == [40, 40, 40]:
        return "normal"
    red = len(parts) == 3 and parts[0] >= 150 and max(parts[1:]) <= 80
    return "red" if red else colour


async def _colours(site: Site, wanted: list[str], after: str) -> None:
    """The colour of each row: that of its first three cells."""
    seen: list[str] = []

    async def holds() -> bool:
        nonlocal seen
        rows = await site.page.locator(_ROW).evaluate_all(
            "rows => rows.map(row => [...row.cells].slice(0, 3).map(cell => getComputedStyle(cell).color))"
        )
        seen = [" and ".join(sorted({_name(colour) for colour in row})) for row in rows]
        return seen == wanted

    await site.until(holds, lambda: f"The colours of the rows {after} should be {wanted}, but they are {seen}.")


async def check(site: Site) -> None:
    await site.open()
    await _colours(site, ["normal", "red", "normal", "red"], "at first")
    for number, text in ((1, "301 Bakery Lund 120.00"), (4, "304 School of Music 310.00")):
        for word in text.split():
            await site.shows(word, f"{_ROW}:nth-child({number})")
    await site.click(f"{_ROW} >> nth=1 >> text=Paid")
    await _colours(site, ["normal", "normal", "normal", "red"], "after Paid in the second row")
    await site.click(f"{_ROW} >> nth=0 >> text=Paid")
    await _colours(site, ["normal", "normal", "normal", "red"], "after Paid in the first row")
    await site.count(f"{_ROW} button", 2, after="after Paid twice")
    site.no_errors()
