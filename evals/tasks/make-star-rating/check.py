import colorsys
import re

from evals.site import Site, expect

_BUTTONS = "button, [role=button], input[type=button]"
# The places of the buttons with a star, from left to right, and the colours that each star is painted with.
_STARS = """() => {
  const starry = (text) => /[\u2605\u2606\u2b50]/.test(text || '');
  const found = [];
  [...document.querySelectorAll('button, [role=button], input[type=button]')].forEach((button, place) => {
    const box = button.getBoundingClientRect();
    if (!box.width || !box.height) return;
    const colours = [];
    for (const e of [button, ...button.querySelectorAll('*')]) {
      const own = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('') || e.value;
      if (starry(own)) colours.push(getComputedStyle(e).color);
      for (const side of ['::before', '::after']) {
        const style = getComputedStyle(e, side);
        if (starry(style.content)) colours.push(style.color);
      }
    }
    if (colours.length) found.push({place, x: box.x, colours: [...colours, getComputedStyle(button).backgroundColor]});
  });
  return found.sort((a, b) => a.x - b.x);
}"""


def _gold(colour: str) -> bool:
    parts = [float(part) for part in re.findall(r"[\d.]+", colour)]
    if not colour.startswith("rgb") or (len(parts) == 4 and parts[3] < 0.5):
        return False
    hue, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in parts[:3]))
    return 39 < hue * 360 < 59 and saturation > 0.5 and value > 0.6


async def _lit(site: Site, number: int) -> None:
    """The first so many stars are golden, and the others are not."""
    lit: list[bool] = []

    async def holds() -> bool:
        nonlocal lit
        lit = [any(_gold(colour) for colour in star["colours"]) for star in await site.page.evaluate(_STARS)]
        return lit == [True] * number + [False] * (5 - number)

    def complaint() -> str:
        places = [str(place) for place, golden in enumerate(lit, 1) if golden]
        return f"After a click on star {number} the golden stars are: {', '.join(places) or 'none'}."

    await site.until(holds, complaint)


async def check(site: Site) -> None:
    await site.open()
    stars = await site.page.evaluate(_STARS)
    expect(len(stars) == 5, f"The page has {len(stars)} buttons with a star, not 5.")
    for number in (4, 2, 5, 1, 3):
        stars = await site.page.evaluate(_STARS)
        await site.page.locator(_BUTTONS).nth(stars[number - 1]["place"]).click()
        await site.page.mouse.move(3, 695)
        await site.shows(str(number), "#score", after=f"after a click on star {number}")
        await _lit(site, number)
    site.no_errors()
