from evals.site import Site

_FEES = {"80": "10.00", "20": "4.00", "49": "9.80", "50": "10.00", "51": "10.00", "365": "10.00", "0": "0.00"}
_CHILDREN = {"80": "4.00", "300": "15.00"}


async def check(site: Site) -> None:
    # The form is shared: a change of it may be careful enough not to touch what children pay.
    site.only_changed("loans.html", "js/loan-fees.js", "js/fee-form.js", "README.md")
    await site.open("loans.html")
    for days, fee in _FEES.items():
        await site.fill("#days", days)
        await site.click("Calculate")
        await site.shows(fee, "#fee", after=f"for {days} days")
    await site.shows("Late books", "h1")
    site.no_errors()
    await site.open("children.html")
    for days, fee in _CHILDREN.items():
        await site.fill("#days", days)
        await site.click("Calculate")
        await site.shows(fee, "#fee", after=f"for {days} days on the page for children")
    site.no_errors()
