import re

from evals.site import Site, expect

_PARTS = ("red", "green", "blue")


async def _shows(site: Site, colour: tuple[int, int, int], after: str) -> None:
    for part, number in zip(_PARTS, colour, strict=True):
        await site.shows(str(number), f"#{part}-value", after=after)
        value = await site.text(f"#{part}")
        expect(value == str(number), f"The slider {part} {after} is at {value}, not at {number}.")
    code = "#" + "".join(f"{number:02x}" for number in colour)
    seen = ""

    async def coded() -> object:
        nonlocal seen
        seen = await site.text("#code")
        return re.search(code + r"(?!\w)", seen)

    async def painted() -> bool:
        nonlocal seen
        seen = await site.style("#swatch", "background-color")
        return seen == f"rgb({', '.join(map(str, colour))})"

    await site.until(coded, lambda: f"The code {after} should be {code}, but it reads {seen.strip()!r}.")
    await site.until(painted, lambda: f"The swatch {after} should have the colour {code}, but it has {seen}.")


async def check(site: Site) -> None:
    await site.open()
    for part in _PARTS:
        await site.visible(f"#{part}")
        slider = await site.find(f"#{part}")
        ends = [await slider.get_attribute(name) for name in ("type", "min", "max")]
        expect(ends[0] == "range" and ends[1] in ("0", None) and ends[2] == "255", f"The slider {part} is {ends}.")
    box = await (await site.find("#swatch")).bounding_box()
    expect(box and box["width"] >= 100 and box["height"] >= 100, "The swatch is smaller than 100 by 100 pixels.")
    await _shows(site, (128, 128, 128), "at first")

    await site.fill("#red", "10")
    await site.fill("#green", "0")
    await site.fill("#blue", "255")
    await _shows(site, (10, 0, 255), "for 10, 0, 255")
    await site.click("Invert")
    await _shows(site, (245, 255, 0), "after Invert")
    await site.fill("#blue", "7")
    await _shows(site, (245, 255, 7), "for a blue of 7 after Invert")

    slider = await site.find("#red")
    await slider.scroll_into_view_if_needed()
    box = await slider.bounding_box()
    if box:
        await site.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        await site.page.mouse.down()
        await site.page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2, steps=4)
        held = int(await site.text("#red"))
        expect(held < 128, "The slider red cannot be dragged.")
        await _shows(site, (held, 255, 7), "while red is dragged")
        await site.page.mouse.up()
    site.no_errors()
