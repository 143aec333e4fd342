from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    await site.visible("#picture")
    size = await site.page.locator("#picture").evaluate("e => [e.width, e.height]")
    expect(size == [300, 200], f"The canvas is {size[0]} by {size[1]}, not 300 by 200.")
    look = "(e, [x, y]) => [...e.getContext('2d').getImageData(x, y, 1, 1).data]"
    red, blue = [255, 0, 0, 255], [0, 0, 255, 255]
    for x, y, colour in (
        (150, 100, red),
        (150, 56, red),
        (194, 100, red),
        (106, 100, red),
        (150, 144, red),
        (150, 44, blue),
        (206, 100, blue),
        (190, 140, blue),
        (2, 2, blue),
        (297, 197, blue),
    ):
        seen = await site.page.locator("#picture").evaluate(look, [x, y])
        expect(seen == colour, f"The pixel at {x}, {y} should be {colour[:3]}, but it is {seen}.")
    site.no_errors()
