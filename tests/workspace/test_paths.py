"""What a model writes as a path reaches a file of the project, or nothing."""

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roomcode.workspace import Workspace, WorkspaceError
from roomcode.workspace.names import protection, shown
from roomcode.workspace.paths import resolve


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project = tmp_path / "site"
    (project / "css").mkdir(parents=True)
    (project / "index.html").write_text("<!doctype html>")
    (project / "css" / "style.css").write_text("a {}")
    return project


@pytest.mark.parametrize(
    ("text", "rel"),
    [
        ("index.html", "index.html"),
        ("./index.html", "index.html"),
        ("./app/../index.html", "index.html"),
        ("css//style.css", "css/style.css"),
        ("/index.html", "index.html"),
        ("/css/style.css", "css/style.css"),
        ("/new-folder/new.html", "new-folder/new.html"),
        ("file:///index.html", "index.html"),
        ("file:///my%20page.html", "my page.html"),
        ("index.html ", "index.html"),
        (' "index.html"\n', "index.html"),
        ("`index.html`", "index.html"),
        ("css\\style.css", "css/style.css"),
        ("new\\deep\\x.js", "new/deep/x.js"),
        (".", "."),
        ("/", "."),
        ("./", "."),
        ("../site/index.html", "index.html"),
        ("a b.html", "a b.html"),
        ("~backup", "~backup"),
    ],
)
def test_every_usual_way_to_write_a_path(root: Path, text: str, rel: str):
    if text == "~backup":
        (root / "~backup").write_text("")
    target = resolve(root, text)
    assert target.rel == rel
    assert target.path == (root / rel if rel != "." else root)


def test_a_path_taken_as_relative_says_so_and_a_plain_one_does_not(root: Path):
    assert resolve(root, "/index.html").notes == (
        "/index.html was taken as index.html: paths start at the project folder.",
    )
    assert resolve(root, "./index.html").notes == ()


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("/home/user/app/index.html", "index.html"),
        ("/home/user/site/css/style.css", "css/style.css"),
        ("C:\\site\\index.html", "index.html"),
        ("c:/site/css/style.css", "css/style.css"),
        ("~/index.html", "index.html"),
        ("~someone/index.html", "index.html"),
        ("../index.html", "index.html"),
        ("css/../../x.html", "x.html"),
        ("/etc/passwd", "passwd"),
        ("file:///etc/passwd", "passwd"),
        ("/tmp", "tmp"),
    ],
)
def test_a_path_outside_is_refused_with_the_root_and_a_relative_form(root: Path, text: str, form: str):
    with pytest.raises(WorkspaceError) as caught:
        resolve(root, text)
    message = str(caught.value)
    assert "outside the project" in message
    assert str(root) in message
    assert message.endswith(f": {form}") or form in message.rsplit(": ", 1)[1]


@pytest.mark.parametrize("text", ["", "   ", "a\0b", "http://example.org/x.js", "bad\nname.txt", "dir /x\x07.txt"])
def test_what_is_no_path_is_refused(root: Path, text: str):
    with pytest.raises(WorkspaceError):
        resolve(root, text)


def test_an_absolute_path_into_the_project_is_fine(root: Path):
    assert resolve(root, f"{root}/css/style.css").rel == "css/style.css"
    assert resolve(root, str(root)).rel == "."


def test_links_that_lead_out_are_refused_also_dangling_ones(root: Path, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "victim.txt").write_text("v")
    os.symlink(outside, root / "out")
    os.symlink(tmp_path / "victim.txt", root / "note.md")
    os.symlink(tmp_path / "notyet", root / "draft.txt")
    os.symlink("../../..", root / "up")
    for text in ("out/x.txt", "out", "note.md", "draft.txt", "up/etc/passwd", "css/../out/x.txt"):
        with pytest.raises(WorkspaceError, match="leads outside"):
            resolve(root, text)


def test_links_inside_the_project_are_followed_and_named(root: Path):
    os.symlink("css", root / "styles")
    os.symlink("css/style.css", root / "main.css")
    assert resolve(root, "styles/style.css").rel == "css/style.css"
    target = resolve(root, "main.css")
    assert target.rel == "css/style.css"
    assert target.notes == ("main.css is a link to css/style.css.",)


def test_a_link_to_itself_is_refused(root: Path):
    os.symlink("loop", root / "loop")
    with pytest.raises(WorkspaceError, match="itself"):
        resolve(root, "loop")


def test_a_root_reached_through_a_link_works(root: Path, tmp_path: Path):
    os.symlink(root, tmp_path / "linked")
    workspace = Workspace(tmp_path / "linked")
    assert workspace.resolve("index.html").path == root / "index.html"
    assert workspace.resolve(f"{tmp_path}/linked/css/style.css").rel == "css/style.css"
    assert workspace.resolve(f"{root}/index.html").rel == "index.html"


def test_composed_and_decomposed_accents_name_one_file(root: Path):
    decomposed = unicodedata.normalize("NFD", "Café.html")
    (root / decomposed).write_text("x")
    assert resolve(root, unicodedata.normalize("NFC", "Café.html")).rel == decomposed


def test_names_that_are_not_utf8_or_hold_newlines_can_be_used_as_shown(root: Path):
    for raw in (b"caf\xe9.txt", b"two\nlines.txt", b"bell\x07.txt"):
        (root / os.fsdecode(raw)).write_text("x")
        name = shown(os.fsdecode(raw))
        assert name.isprintable()
        name.encode("utf-8")
        assert os.fsencode(resolve(root, name).rel) == raw


def test_an_odd_name_that_exists_is_used_as_it_is(root: Path):
    for name in ("trailing ", "'quoted'", "back\\slash", "https:"):
        (root / name).write_text("x")
        assert resolve(root, name).rel == name


@pytest.mark.parametrize(
    "name",
    [
        ".git/config",
        "sub/.GIT/hooks/pre-commit",
        ".env",
        ".env.local",
        "config/.Env",
        "id_rsa",
        "deploy/server.pem",
        "a.key",
        ".ssh/config",
        ".roomcode/config.toml",
    ],
)
def test_secrets_and_the_insides_of_git_are_protected(name: str):
    assert protection(name)


@pytest.mark.parametrize("name", ["git/config", "env.js", "id_rsa.pub", "keys.html", ".gitignore", ".github/x.yml"])
def test_ordinary_files_are_not(name: str):
    assert not protection(name)


def test_a_link_to_a_protected_file_is_protected(root: Path):
    (root / ".env").write_text("K=1")
    os.symlink(".env", root / "settings.txt")
    assert resolve(root, "settings.txt").protected


PARTS = st.sampled_from(
    ["..", ".", "", "a", "css", "out", "~", "/", "\\", "C:\\", "é", " ", '"', "file://", "index.html"]
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PARTS, max_size=6), st.sampled_from(["/", "\\", ""]))
def test_nothing_leads_outside(root: Path, parts: list[str], joint: str):
    if not (root / "out").is_symlink():
        os.symlink(root.parent, root / "out")
    try:
        target = resolve(root, joint.join(parts))
    except WorkspaceError:
        return
    real = os.path.realpath(target.path)
    assert real == str(root) or real.startswith(f"{root}/")
    assert not target.path.is_symlink()
