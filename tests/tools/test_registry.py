"""A set of tools keeps its order and never holds two tools of one name."""

from pathlib import Path

import pytest

from roomcode.tools.files import file_tools
from roomcode.tools.registry import Toolset
from roomcode.workspace import Workspace


@pytest.fixture
def tools(tmp_path: Path) -> Toolset:
    return Toolset(tuple(file_tools(Workspace(tmp_path))))


def test_order_and_lookup(tools: Toolset):
    assert tools.names == ("list_dir", "read_file", "search", "write_file", "edit_file")
    assert [spec.name for spec in tools.specs] == list(tools.names)
    assert tools.get("search") is tools.tools[2]
    assert tools.get("rm") is None
    assert len(tools) == 5


def test_switching_off_and_on(tools: Toolset):
    reading = tools.with_only(["search", "read_file", "nothing"])
    assert reading.names == ("read_file", "search")
    assert tools.without(["write_file"]).names == ("list_dir", "read_file", "search", "edit_file")
    assert reading.with_more(tools.without(reading.names)).names[:2] == ("read_file", "search")
    assert tools.names[0] == "list_dir"


def test_two_tools_of_one_name_are_a_mistake(tools: Toolset):
    with pytest.raises(ValueError, match="search"):
        tools.with_more([tools.tools[2]])


def test_what_the_model_is_told_of_the_tools(tools: Toolset):
    told = {spec.name: [(p.name, p.type, p.required, p.raw) for p in spec.parameters] for spec in tools.specs}
    assert told == {
        "list_dir": [("path", "string", False, False)],
        "read_file": [
            ("path", "string", True, False),
            ("start", "integer", False, False),
            ("column", "integer", False, False),
        ],
        "search": [("pattern", "string", True, False), ("path", "string", False, False)],
        "write_file": [
            ("path", "string", True, False),
            ("content", "string", True, True),
            ("append", "boolean", False, False),
        ],
        "edit_file": [
            ("path", "string", True, False),
            ("old", "string", True, True),
            ("new", "string", True, True),
        ],
    }
    assert {spec.name: spec.effect for spec in tools.specs}["edit_file"] == "write"
    words = sum(
        len(spec.description.split()) + sum(len(p.description.split()) for p in spec.parameters) for spec in tools.specs
    )
    assert words < 80
