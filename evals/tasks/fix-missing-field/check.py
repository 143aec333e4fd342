from evals.site import Site, expect


async def check(site: Site) -> None:
    site.unchanged("members.js")
    await site.open()
    names = [" ".join(text.split()) for text in await site.page.locator("#members li").all_inner_texts()]
    wanted = ["Ines (Porto)", "Tom (Leeds)", "Olga", "Ravi (Pune)", "Lena"]
    expect(names == wanted, f"The page lists {', '.join(names) or 'nobody'}.")
    await site.shows("5 members", "#number")
    await site.shows("Members of the chess club", "h1")
    site.no_errors()
