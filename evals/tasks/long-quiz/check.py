from evals.site import Site


async def check(site: Site) -> None:
    capitals = {
        "France": "Paris",
        "Spain": "Madrid",
        "Italy": "Rome",
        "Austria": "Vienna",
        "Greece": "Athens",
        "Norway": "Oslo",
        "Sweden": "Stockholm",
        "Finland": "Helsinki",
        "Poland": "Warsaw",
        "Hungary": "Budapest",
        "Portugal": "Lisbon",
        "Ireland": "Dublin",
    }
    await site.open()
    await site.shows("0", "#points")
    points = 0
    for number, (country, capital) in enumerate(capitals.items()):
        await site.shows(country, "#country", after=f"after Next {number} times")
        if number == 2:
            await site.fill("#guess", "Paris")
            await site.click("Check")
            await site.shows("Wrong", "#verdict", after=f"for Paris as the capital of {country}")
            await site.shows(str(points), "#points", after="after a wrong answer")
        else:
            await site.fill("#guess", capital)
            await site.click("Check")
            points += 1
            await site.shows("Right", "#verdict", after=f"for {capital} as the capital of {country}")
            await site.shows(str(points), "#points", after=f"after {points} right answers")
        if number < len(capitals) - 1:
            await site.click("Next")
    site.no_errors()
