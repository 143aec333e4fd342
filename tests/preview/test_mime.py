import mimetypes

import pytest

from roomcode.preview.mime import content_type, is_text


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.html", "text/html"),
        ("a.js", "text/javascript"),
        ("main.MJS", "text/javascript"),
        ("a.css", "text/css"),
        ("a.svg", "image/svg+xml"),
        ("a.wasm", "application/wasm"),
        ("a.json", "application/json"),
        ("app.webmanifest", "application/manifest+json"),
        ("a.min.js", "text/javascript"),
        ("font.woff2", "font/woff2"),
        ("a.ts", "text/plain"),
        ("README", "application/octet-stream"),
        ("a.unknown", "application/octet-stream"),
    ],
)
def test_types_by_name(name: str, kind: str) -> None:
    assert content_type(name) == kind


def test_the_table_of_the_host_does_not_matter() -> None:
    before = mimetypes.guess_type("a.js")[0]
    mimetypes.add_type("text/plain", ".js")
    try:
        assert content_type("a.js") == "text/javascript"
    finally:
        mimetypes.add_type(before or "text/javascript", ".js")


def test_text_types_are_those_with_a_charset() -> None:
    assert all(is_text(content_type(name)) for name in ("a.html", "a.js", "a.json", "a.svg", "a.webmanifest", "a.rss"))
    assert not any(is_text(content_type(name)) for name in ("a.png", "a.wasm", "a.bin", "a.woff2"))
