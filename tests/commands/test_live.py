"""The app's backend on a real agent: settings, files and forks through everything but the screen."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from roomcode.commands.live import LiveBackend
from roomcode.config import ConfigError, load
from roomcode.protocol.events import Event, Note
from tests.support.runtimes import call

SCRIPT = f"""\
=== answer
{call("write_file", path="a.txt", content="one")}
=== answer
Done.
=== answer
Fine.
"""


class Places:
    """A project, a config file, a folder of sessions and a script."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "project"
        self.project.mkdir()
        self.script = folder / "script.txt"
        self.script.write_text(SCRIPT)
        self.user = folder / "config.toml"
        self.user.write_text("# mine\nmax_steps = 9 # few\n")

    def backend(self, **flags: object) -> LiveBackend:
        given = {"engine": f"scripted:{self.script}", **flags}
        environ = {"ROOMCODE_CONFIG": str(self.user)}
        resolved = load(self.project, environ, given)
        sessions = self.folder / "sessions"
        return LiveBackend(self.project, resolved, given, session="new", environ=environ, sessions=sessions)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


@pytest.fixture
async def backend(places: Places) -> AsyncIterator[LiveBackend]:
    backend = places.backend(mode="auto")
    await backend.open()
    await backend.load(lambda _what, _share: None)
    yield backend
    await backend.close()


def value(backend: LiveBackend, name: str) -> tuple[str, str]:
    setting = next(setting for setting in backend.settings() if setting.name == name)
    return setting.value, setting.origin


async def test_a_setting_is_kept_in_the_file_and_counts(backend: LiveBackend, places: Places) -> None:
    assert value(backend, "max_steps") == ("9", str(places.user))
    assert await backend.change_setting("max_steps", "4", project=False) == "max_steps is 4, at once."
    assert places.user.read_text() == "# mine\nmax_steps = 4 # few\n"
    project = places.project / ".roomcode" / "config.toml"
    said = await backend.change_setting("max_steps", "1", project=True)
    assert said == "max_steps is 1, at once."
    assert value(backend, "max_steps") == ("1", str(project))
    assert (await backend.request("write")).reason == "limit"
    said = await backend.change_setting("max_steps", "7", project=False)
    assert said == f"max_steps is saved, but {project} goes before it: max_steps stays 1."
    said = await backend.change_setting("max_steps", "", project=True)
    assert said.startswith("max_steps is not in that file any more: it is 7 now (from ")


async def test_a_setting_for_the_next_load_says_so(backend: LiveBackend) -> None:
    said = await backend.change_setting("context", "4096", project=False)
    assert said == "context is 4096, when the model is loaded again."


async def test_a_flag_goes_before_the_file_and_that_is_said(backend: LiveBackend, places: Places) -> None:
    said = await backend.change_setting("mode", "ask", project=False)
    assert said == "mode is saved, but --mode goes before it: mode stays auto."
    assert backend.mode == "auto"
    assert 'mode = "ask"' in places.user.read_text()


async def test_a_mode_that_was_switched_in_the_app_outlives_other_changes(places: Places) -> None:
    backend = places.backend()
    await backend.open()
    backend.mode = "auto"
    await backend.change_setting("max_steps", "5", project=False)
    assert backend.mode == "auto"
    assert value(backend, "mode") == ('"auto"', "this app, now")
    await backend.change_setting("mode", "auto", project=False)
    await backend.change_setting("mode", "ask", project=False)
    assert backend.mode == "ask"
    await backend.close()


@pytest.mark.parametrize("broken", ["mode = 'never'\n", "mode =\n"])
async def test_nothing_is_written_while_another_file_is_broken(
    backend: LiveBackend, places: Places, broken: str
) -> None:
    project = places.project / ".roomcode" / "config.toml"
    project.parent.mkdir(exist_ok=True)
    project.write_text(broken)
    before = places.user.read_text()
    with pytest.raises(ConfigError, match="project"):
        await backend.change_setting("max_steps", "5", project=False)
    assert places.user.read_text() == before
    assert value(backend, "max_steps") == ("9", str(places.user))


async def test_files_are_taken_back_and_the_note_goes_to_everybody(backend: LiveBackend, places: Places) -> None:
    events: list[Event] = []
    backend.subscribe(events.append)
    backend._runtime.subscribe(events.append)  # type: ignore[union-attr]
    await backend.request("write")
    plan = backend.kept.plan_undo()
    assert [(file.path, file.goes()) for file in plan.files] == [("a.txt", True)]
    assert (await backend.change_files(plan)).done == ("a.txt",)
    assert [event.text for event in events if isinstance(event, Note)][-1] == "undone: a.txt"
    assert backend.kept.text_now("a.txt") is None
    assert [version.deed for version in backend.kept.versions("a.txt")] == ["undone", "written"]


async def test_a_fork_gives_the_text_and_the_past(backend: LiveBackend) -> None:
    await backend.request("write")
    await backend.request("and now")
    assert backend.asked() == [(1, "write"), (2, "and now")]
    prompt, past = await backend.fork(2)
    assert prompt == "and now"
    assert [event.prompt for event in past if hasattr(event, "prompt")] == ["write"]
    rows = backend.sessions()
    assert [row.present for row in rows].count(True) == 1
    other = next(row for row in rows if not row.present)
    await backend.delete_session(other.id)
    assert len(backend.sessions()) == len(rows) - 1
