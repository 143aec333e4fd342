from evals.site import Site


async def check(site: Site) -> None:
    async def reads(selector: str, number: float, after: str) -> None:
        async def holds() -> bool:
            try:
                return abs(float(await site.text(selector)) - number) < 0.06
            except ValueError:
                return False

        await site.until(holds, f"In {selector} {after} {number} should be shown.")

    async def put(selector: str, text: str) -> None:
        field = await site.find(selector)
        await field.fill("")
        await field.press_sequentially(text)

    await site.open()
    await put("#celsius", "100")
    await reads("#fahrenheit", 212, "for 100 degrees Celsius")
    await put("#fahrenheit", "32")
    await reads("#celsius", 0, "for 32 degrees Fahrenheit")
    await put("#celsius", "-40")
    await reads("#fahrenheit", -40, "for -40 degrees Celsius")
    await put("#fahrenheit", "100")
    await reads("#celsius", 37.78, "for 100 degrees Fahrenheit")
    site.no_errors()
