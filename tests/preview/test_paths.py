import os
import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.preview import PreviewError
from roomcode.preview.paths import files_below, find_page, pages_below, resolve, url_path

from .conftest import write


def test_a_folder_means_its_index_and_a_file_means_its_folder(tmp_path: Path) -> None:
    write(tmp_path, {"index.html": "", "about.html": "", "app/index.html": "", "one/page.html": ""})
    for path in (".", "", "/", "./", "index.html", "/index.html", str(tmp_path), "http://localhost:5173/", '"."'):
        target = find_page(tmp_path, path)
        assert (target.folder, target.prefix, target.page) == (tmp_path.resolve(), "", ""), path
        assert target.page_path == "index.html"
    about = find_page(tmp_path, "about.html")
    assert (about.prefix, about.page, about.page_path) == ("", "about.html", "about.html")
    app = find_page(tmp_path, "app/")
    assert (app.folder, app.prefix, app.page_path) == (tmp_path.resolve() / "app", "app", "app/index.html")
    assert find_page(tmp_path, "one").page == "page.html"


@pytest.mark.parametrize(
    ("files", "path", "expected"),
    [
        ({"a.html": "", "b.html": ""}, ".", 'HTML files there: a.html, b.html. Call serve(path="a.html").'),
        (
            {"public/index.html": ""},
            ".",
            "There is no index.html in the project folder. HTML files there: public/index",
        ),
        ({"public/index.html": ""}, ".", 'Call serve(path="public/index.html").'),
        ({"game.js": ""}, ".", "There is no HTML file in the project folder. Write index.html first"),
        ({"index.html": "", "game.js": ""}, "game.js", 'game.js is not a page. Call serve(path=".").'),
        ({"app/index.html": "", "app/game.js": ""}, "app/game.js", 'Call serve(path="app").'),
        ({"game.js": ""}, "game.js", "Write an index.html that loads it, then call serve."),
        ({"index.html": ""}, "indx.html", 'indx.html does not exist. Did you mean serve(path="index.html")?'),
        ({"public/index.html": ""}, "pubic", 'Did you mean serve(path="public")?'),
        ({"index.html": ""}, "/home/user/app/index.html", 'Did you mean serve(path="index.html")?'),
        ({"index.html": ""}, "zzz", 'zzz does not exist. Call serve(path="index.html").'),
        ({"index.html": ""}, "../", 'is outside the project. Call serve(path=".")'),
        ({"index.html": "", ".git/index.html": ""}, ".git", 'is hidden and is not served. Call serve(path=".").'),
    ],
)
def test_a_path_without_a_page_is_answered_with_the_next_call(
    tmp_path: Path, files: dict[str, str], path: str, expected: str
) -> None:
    write(tmp_path, files)
    with pytest.raises(PreviewError) as caught:
        find_page(tmp_path, path)
    assert expected in str(caught.value)
    assert "serve(" not in caught.value.reason


def test_a_link_that_leads_out_of_the_project_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"outside/index.html": "", "project/inner/index.html": ""})
    (tmp_path / "project/out").symlink_to(tmp_path / "outside")
    (tmp_path / "project/in").symlink_to(tmp_path / "project/inner")
    with pytest.raises(PreviewError, match="outside the project"):
        find_page(tmp_path / "project", "out")
    assert find_page(tmp_path / "project", "in").prefix == "inner"
    (tmp_path / "door").symlink_to(tmp_path / "project")
    assert find_page(tmp_path / "door", "inner").folder == (tmp_path / "project/inner").resolve()


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("/", ""),
        ("/a.js?v=1", "a.js"),
        ("/a.js#x", "a.js"),
        ("/sub/", "sub/"),
        ("/caf%C3%A9%20x.html", "café x.html"),
        ("/a%2520.js", "a%20.js"),
        ("/100%25.txt", "100%.txt"),
    ],
)
def test_good_addresses_are_decoded_once(raw: str, path: str) -> None:
    assert url_path(raw) == path


@pytest.mark.parametrize(
    "raw",
    [
        "a.js", "*", "", "http://x/", "//x/y", "/a//b", "/../x", "/a/../b", "/./a", "/%2e%2e/x", "/%2E/x", "/..%2fx",
        "/a%2Fb", "/..\\x", "/%5c..%5cx", "/.git/config", "/sub/.env", "/%2eenv", "/a%00.html", "/a%0d%0ab", "/c:/x",
        "/index.html::$DATA", "/%ff.html", "/%c0%ae%c0%ae/x", "/a\x7f",
    ],
)  # fmt: skip
def test_bad_addresses_are_refused(raw: str) -> None:
    assert url_path(raw) is None


@settings(deadline=None)
@given(st.text(st.sampled_from("./%2eEfF5cC\\ab:\0?#~ü"), max_size=30))
def test_no_address_leads_to_a_hidden_or_outer_path(raw: str) -> None:
    path = url_path(f"/{raw}")
    if path is not None:
        parts = path.split("/")
        assert not any(part.startswith(".") for part in parts)
        assert "\\" not in path
        joined = os.path.normpath(os.path.join("/srv/site", path))
        assert joined == "/srv/site" or joined.startswith("/srv/site/")


def test_only_regular_visible_files_inside_are_resolved(tmp_path: Path) -> None:
    site = tmp_path.resolve() / "site"
    write(tmp_path, {"site/a.txt": "a", "site/.env": "secret", "site/sub/b.txt": "b", "secret.txt": "s"})
    (site / "in.txt").symlink_to(site / "sub/b.txt")
    (site / "out.txt").symlink_to(tmp_path / "secret.txt")
    (site / "outdir").symlink_to(tmp_path)
    (site / "env.txt").symlink_to(site / ".env")
    (site / "gone.txt").symlink_to(site / "nothing")
    (site / "loop").symlink_to(site / "loop")
    os.mkfifo(site / "pipe")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(site / "sock"))
        for name in ("out.txt", "outdir/secret.txt", "env.txt", "gone.txt", "loop", "pipe", "sock", "none", "a.txt/"):
            assert resolve(site, name) is None, name
    assert resolve(site, "x" * 5000) is None
    assert resolve(site, "a.txt") == site / "a.txt"
    assert resolve(site, "in.txt") == site / "sub/b.txt"
    assert resolve(site, "sub") == site / "sub"


def test_files_are_listed_nearest_first_without_hidden_and_dependency_folders(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "z.html": "",
            "a/b/deep.html": "",
            "a/x.js": "",
            ".git/c.html": "",
            "node_modules/m/i.html": "",
            ".h.html": "",
        },
    )
    assert list(files_below(tmp_path)) == ["z.html", "a/x.js", "a/b/deep.html"]
    assert pages_below(tmp_path) == ["z.html", "a/b/deep.html"]
    assert len(list(files_below(tmp_path, limit=2))) == 2
