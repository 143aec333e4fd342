"""`roomcode preview`: a page of a project without the app."""

import asyncio
import shutil
import sys
import tempfile
from pathlib import Path

import click

__all__ = ["preview"]

_SIZE = "1280x800"


@click.group()
def preview() -> None:
    """Open a page in the preview browser."""


def _size(ctx: click.Context, parameter: click.Parameter, value: str) -> tuple[int, int]:
    width, _, height = value.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal() and 100 <= int(width) <= 8000 and 100 <= int(height) <= 8000):
        raise click.BadParameter(f"{value} is no size; write it like {_SIZE} (100 to 8000 each)")
    return int(width), int(height)


@preview.command()
@click.argument("page", default=".")
@click.option(
    "--dir", "directory", type=click.Path(path_type=Path, file_okay=False, exists=True), default=".", help="Project."
)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="PNG to write.")
@click.option("--size", callback=_size, default=_SIZE, show_default=True, help="Width and height of the page.")
@click.option("--network/--no-network", default=None, help="Let the page reach the internet.")
def shot(page: str, directory: Path, output: Path | None, size: tuple[int, int], network: bool | None) -> None:
    """Write a picture of PAGE (a folder or an HTML file of the project; the project's index.html by default).

    The picture's path goes to stdout, what the page said to stderr. Exit codes: 0 written, 1 no picture.
    """
    output = output or Path(f"{Path(page).stem or 'page'}.png")
    sys.exit(asyncio.run(_shot(directory, page, output, size, _allowed(directory, network))))


def _allowed(directory: Path, network: bool | None) -> bool:
    from roomcode import config

    if network is not None:
        return network
    try:
        return config.load(directory).settings.network
    except config.ConfigError as error:
        raise click.ClickException(str(error)) from error


async def _shot(directory: Path, page: str, output: Path, size: tuple[int, int], network: bool) -> int:
    from roomcode.preview import Preview, PreviewError, result_lines

    with tempfile.TemporaryDirectory(prefix="roomcode-shot-") as folder:
        opened = Preview(directory, network=network, screenshots=Path(folder), size=size)
        try:
            report = await opened.serve(page)
        except PreviewError as error:
            print(f"roomcode: {error.reason}", file=sys.stderr)
            return 1
        finally:
            await opened.close()
        for line in result_lines(report):
            print(line, file=sys.stderr)
        if not report.screenshot:
            print("roomcode: there is no picture of this page.", file=sys.stderr)
            return 1
        try:
            await asyncio.to_thread(shutil.copyfile, report.screenshot, output)
        except OSError as error:
            print(f"roomcode: {output} cannot be written: {error.strerror}.", file=sys.stderr)
            return 1
    print(output)
    return 0


@preview.command()
@click.argument("page", default=".")
@click.option(
    "--dir", "directory", type=click.Path(path_type=Path, file_okay=False, exists=True), default=".", help="Project."
)
@click.option("--port", type=click.IntRange(1, 65535), default=5173, show_default=True, help="Wanted port.")
@click.option("--reload/--no-reload", default=True, show_default=True, help="Reload open pages when files change.")
def serve(page: str, directory: Path, port: int, reload: bool) -> None:
    """Serve PAGE for your own browser until Ctrl-C, on this machine only."""
    try:
        code = asyncio.run(_serve(directory, page, port, reload))
    except KeyboardInterrupt:
        code = 0
    sys.exit(code)


async def _serve(directory: Path, page: str, port: int, reload: bool) -> int:
    from roomcode.preview import PreviewError
    from roomcode.preview.paths import find_page
    from roomcode.preview.server import StaticServer

    try:
        target = await asyncio.to_thread(find_page, directory, page)
        server = StaticServer(target.folder, live_reload=reload)
        await server.start(port)
    except PreviewError as error:
        print(f"roomcode: {error.reason}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"roomcode: no port could be opened ({error.strerror}).", file=sys.stderr)
        return 1
    try:
        print(f"{server.origin}/{target.page}", flush=True)
        print("Ctrl-C ends it.", file=sys.stderr, flush=True)
        await asyncio.Event().wait()
    finally:
        await server.close()
    return 0
