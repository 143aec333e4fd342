from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    heads = [text.strip() for text in await site.page.locator("h2").all_inner_texts()]
    expect(heads == ["Step one", "Step two: cut", "Step three"], f"The headings are {heads}.")
    texts = [text.strip() for text in await site.page.locator("p").all_inner_texts()]
    expect(texts == ["Wash the apples.", "Cut the apples.", "Bake the apples."], f"The texts are {texts}.")
    site.no_errors()
