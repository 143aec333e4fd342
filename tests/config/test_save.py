"""Changing one setting in a file leaves the rest of the file alone."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roomcode.config import ConfigError, as_text, change, keys, load

FILE = """\
# My settings, all of them dear to me.
mode = "ask"   # never auto

# small machine
threads = 2

[switches]
hints = true # keep
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(FILE)
    return path


def value(path: Path, name: str) -> object:
    return load(None, {"ROOMCODE_CONFIG": str(path)}).value(name)


def test_a_change_keeps_comments_order_and_everything_else(path: Path) -> None:
    change(path, "mode", "auto")
    change(path, "switches.hints", "off")
    assert path.read_text() == FILE.replace('"ask"', '"auto"').replace("hints = true", "hints = false")


def test_a_new_key_does_not_land_in_a_table(path: Path) -> None:
    change(path, "temperature", "0.7")
    change(path, "approve", "docs/**, *.md")
    change(path, "switches.repairs", "no")
    for line in FILE.splitlines():
        assert line in path.read_text().splitlines()
    assert value(path, "temperature") == 0.7
    assert value(path, "approve") == ("docs/**", "*.md")
    assert value(path, "switches.repairs") is False
    assert value(path, "threads") == 2


def test_empty_text_takes_a_setting_out(path: Path) -> None:
    change(path, "threads", "  ")
    change(path, "switches.hints", "")
    change(path, "seed", "")
    assert "threads =" not in path.read_text()
    assert "# small machine" in path.read_text()
    assert (value(path, "threads"), value(path, "switches.hints")) == (0, True)


@pytest.mark.parametrize(
    "text", ["[switches]\nrepairs = true\n", "switches.repairs = true\n", "switches = {repairs = true}\n", ""]
)
def test_each_way_to_write_a_table_is_understood(path: Path, text: str) -> None:
    path.write_text(text + ("" if "[" in text else "\n"))
    change(path, "switches.hints", "false")
    change(path, "switches.repairs", "false")
    change(path, "max_steps", "9")
    assert [value(path, name) for name in ("switches.hints", "switches.repairs", "max_steps")] == [False, False, 9]


def test_a_file_that_is_not_there_is_made_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "config.toml"
    change(path, "mode", "")
    assert not path.parent.exists()
    change(path, "mode", "auto")
    assert path.read_text() == 'mode = "auto"\n'
    assert [p.name for p in path.parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("mode", "maybe", "one of ask, auto"),
        ("threads", "many", "a whole number from 0 to 512"),
        ("temperature", "nan", "a number from 0 to 5"),
        ("switches.hints", "perhaps", "true or false"),
        ("nonsense", "1", "no setting 'nonsense'"),
    ],
)
def test_a_wrong_value_is_one_sentence_and_changes_nothing(path: Path, name: str, text: str, part: str) -> None:
    with pytest.raises(ConfigError, match=part) as caught:
        change(path, name, text)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith((f"{name} must be", "There is no"))
    assert path.read_text() == FILE
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("broken", [b"mode = \n", b"\xff\xfe", b"mode = 'never'\n", b"switches = 3\n"])
def test_a_broken_file_is_left_as_it_is(path: Path, broken: bytes) -> None:
    path.write_bytes(broken)
    with pytest.raises(ConfigError, match=r"config\.toml"):
        change(path, "threads", "3")
    assert path.read_bytes() == broken


def test_line_ends_stay(path: Path) -> None:
    path.write_bytes(FILE.replace("\n", "\r\n").encode())
    change(path, "mode", "auto")
    assert path.read_bytes() == FILE.replace('"ask"', '"auto"').replace("\n", "\r\n").encode()


def test_a_link_and_the_rights_of_the_file_stay(path: Path, tmp_path: Path) -> None:
    path.chmod(0o600)
    link = tmp_path / "link.toml"
    link.symlink_to(path)
    change(link, "threads", "3")
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600
    assert value(path, "threads") == 3


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="cannot be written"):
        change(tmp_path / "file" / "config.toml", "threads", "3")


@settings(deadline=None)
@given(st.sampled_from(list(keys())), st.text(max_size=30))
def test_whatever_is_typed_is_refused_or_read_back(name: str, text: str) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder, "config.toml")
        path.write_text(FILE)
        try:
            change(path, name, text)
        except ConfigError:
            assert path.read_text() == FILE
        else:
            found = value(path, name)
            assert path.read_text().startswith("# My settings, all of them dear to me.\n")
            if text.strip():
                change(path, name, as_text(found))
                assert value(path, name) == found
        assert os.listdir(folder) == ["config.toml"]
