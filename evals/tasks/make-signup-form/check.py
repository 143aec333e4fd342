from evals.site import Site, expect


async def check(site: Site) -> None:
    await site.open()
    await site.fill("#email", "anna.example.org")
    await site.fill("#password", "longenough1")
    await site.click("Sign up")
    await site.shows("email", "#message", after="for an email without @")
    await site.hides("Welcome", "#message", after="for an email without @")
    await site.fill("#email", "anna@example.org")
    await site.fill("#password", "short12")
    await site.click("Sign up")
    await site.shows("password", "#message", after="for a password of 7 characters")
    await site.hides("Welcome", "#message", after="for a password of 7 characters")
    await site.fill("#password", "exactly8")
    await site.click("Sign up")
    await site.shows("Welcome", "#message", after="for right values")
    expect(await site.text("#email") == "anna@example.org", "The page was loaded anew: the email is gone.")
    site.no_errors()
