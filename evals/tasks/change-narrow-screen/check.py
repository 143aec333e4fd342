from itertools import pairwise

from evals.site import Site, expect

_HEIGHT = 700


async def _boxes(site: Site) -> list[tuple[float, float, float, float]]:
    """Left, top, width and height of each card."""
    found = [await card.bounding_box() for card in await site.page.locator(".card").all()]
    return [(box["x"], box["y"], box["width"], box["height"]) for box in found if box]


async def _narrow(site: Site, width: int) -> None:
    await site.page.set_viewport_size({"width": width, "height": _HEIGHT})
    await site.open()
    boxes = await _boxes(site)
    expect(len(boxes) == 3, f"At {width} pixels {len(boxes)} cards can be seen.")
    below = all(one[1] + one[3] <= other[1] + 1 for one, other in pairwise(boxes))
    expect(below, f"At {width} pixels the cards do not stand below each other.")
    # The body has a margin of 24 pixels; a little more on both sides is a matter of taste.
    wide = all(box[2] >= width - 48 - 34 for box in boxes)
    expect(wide, f"At {width} pixels the cards are only {boxes[0][2]:.0f} pixels wide.")
    over = await site.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    expect(over <= 1, f"At {width} pixels the page is too wide for the screen.")


async def _wide(site: Site, width: int) -> None:
    await site.page.set_viewport_size({"width": width, "height": _HEIGHT})
    await site.open()
    boxes = await _boxes(site)
    beside = len(boxes) == 3 and all(box[1] == boxes[0][1] for box in boxes) and boxes[0][0] < boxes[1][0] < boxes[2][0]
    expect(beside, f"At {width} pixels the cards do not stand side by side any more.")
    inner = width - 48
    # A card is a third wide, or what is left of it when the gaps do not fit.
    wanted = min(0.33 * inner, (inner - 32) / 3)
    same = all(abs(box[2] - wanted) <= 2 for box in boxes) and abs(boxes[1][0] - boxes[0][0] - wanted - 16) <= 2
    expect(same, f"At {width} pixels the cards are {boxes[0][2]:.0f} pixels wide instead of {wanted:.0f}.")


async def check(site: Site) -> None:
    await site.open()
    size = site.page.viewport_size
    try:
        for width in (590, 380):
            await _narrow(site, width)
        await site.click(".card >> nth=1 >> text=Like")
        await site.shows("1", ".card:nth-of-type(2) .likes", after="after a click on its Like")
        for width in (620, 1000):
            await _wide(site, width)
    finally:
        if size:
            await site.page.set_viewport_size(size)
    await site.click(".card >> nth=2 >> text=Like")
    await site.shows("1", ".card:nth-of-type(3) .likes", after="after a click on its Like")
    await site.shows("0", ".card:nth-of-type(1) .likes", after="without a click on its Like")
    for text in ("Three walks", "Two hours along the shore.", "One hour in the shade.", "Three hours and a view."):
        await site.shows(text)
    expect(await site.style("h1 >> nth=0", "color") == "rgb(0, 100, 60)", "The heading lost its colour.")
    colour = await site.style(".card", "background-color")
    expect(colour == "rgb(235, 245, 235)", "The cards lost their background.")
    site.unchanged("likes.js")
    site.no_errors()
