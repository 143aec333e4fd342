"""`roomcode sessions`, and going on with one from the command line."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roomcode.session import SessionFolder
from tests.support.runtimes import call
from tests.support.sessions import header, request, write


class Machine:
    """A user's folders, and the program run in them."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.project = folder / "project"
        self.project.mkdir()
        self.count = 0

    def roomcode(self, *arguments: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "roomcode", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=cwd or self.project,
            env=self.environment,
        )

    @property
    def environment(self) -> dict[str, str]:
        folders = dict.fromkeys(("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"), str(self.data))
        return {**os.environ, **folders, "TZ": "UTC"}

    def run(self, prompt: str, *options: str, answers: tuple[str, ...] = ("Done.",)) -> Any:
        self.count += 1
        script = self.data / f"script{self.count}.txt"
        script.parent.mkdir(exist_ok=True)
        script.write_text("".join(f"=== answer\n{answer}\n" for answer in answers))
        return self.roomcode("run", "--engine", f"scripted:{script}", "--yes", *options, prompt)

    def folder(self, project: Path | None = None) -> Path:
        name = SessionFolder(project or self.project).path.name
        return self.data / "roomcode" / "sessions" / name

    def put(self, number: str, prompt: str, at: float, project: Path | None = None) -> Path:
        path = self.folder(project) / f"20260101-000000-{number}.jsonl"
        write(path, [header(number), *request(1, prompt=prompt)])
        os.utime(path, (at, at))
        return path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_sessions_are_listed_last_first(machine: Machine) -> None:
    machine.put("aaaa0001", "make a page", 1_700_000_000)
    machine.put("bbbb0002", "fix it", 1_700_003_600)
    done = machine.roomcode("sessions")
    assert done.returncode == 0
    assert done.stderr == ""
    first, second = done.stdout.splitlines()
    assert first.split() == ["bbbb0002", "2023-11-14", "23:13", "m", "1", "request", "fix", "it"]
    assert second.endswith("make a page")
    assert first.index("fix it") == second.index("make a page")


def test_no_sessions_is_a_sentence_and_no_error(machine: Machine) -> None:
    done = machine.roomcode("sessions")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "There are no sessions of this folder yet.\n")


def test_a_session_is_shown_and_exported(machine: Machine) -> None:
    machine.put("aaaa0001", "make a page", 1_700_000_000)
    machine.put("bbbb0002", "fix it", 1_700_003_600)
    assert "> make a page" in machine.roomcode("sessions", "show", "aaaa").stdout
    assert "> fix it" in machine.roomcode("sessions", "show").stdout, "without an id the last one"
    assert machine.roomcode("sessions", "export", "aa").stdout.startswith("# roomcode session aaaa0001\n")
    exported = json.loads(machine.roomcode("sessions", "export", "--json", "bbbb0002").stdout)
    assert exported["session"]["id"] == "bbbb0002"
    for arguments in (("--dir", str(machine.project), "show", "aaaa"), ("show", "aaaa", "--dir", str(machine.project))):
        assert "make a page" in machine.roomcode("sessions", *arguments, cwd=machine.data).stdout


@pytest.mark.parametrize(
    ("wanted", "said"),
    [("zzzz", "There is no session 'zzzz' here."), ("aaa", "2 sessions begin with aaa: aaaa0001, aaaa0002.")],
)
def test_an_id_that_says_too_little_is_a_sentence(machine: Machine, wanted: str, said: str) -> None:
    machine.put("aaaa0001", "one", 1)
    machine.put("aaaa0002", "two", 2)
    for command in (("sessions", "show", wanted), ("sessions", "export", wanted), ("run", "--session", wanted, "x")):
        done = machine.roomcode(*command)
        assert done.returncode == 1
        assert done.stderr.startswith(f"roomcode: {said}")
        assert "Traceback" not in done.stderr


def test_sessions_of_a_folder_that_was_moved_are_still_there(machine: Machine, tmp_path: Path) -> None:
    machine.put("aaaa0001", "make a page", 1, tmp_path / "moved")
    assert machine.roomcode("sessions").stdout == ""
    listed = machine.roomcode("sessions", "--all").stdout
    assert listed.startswith("aaaa0001")
    assert listed.rstrip().endswith("/project")
    assert "make a page" in machine.roomcode("sessions", "show", "aaaa").stdout


def test_a_newer_session_is_listed_as_such(machine: Machine) -> None:
    path = machine.put("aaaa0001", "one", 1)
    path.write_bytes(path.read_bytes().replace(b'"version":1', b'"version":9', 1))
    assert "(written by a newer roomcode)" in machine.roomcode("sessions").stdout
    done = machine.roomcode("sessions", "show", "aaaa")
    assert done.returncode == 1
    assert "update roomcode" in done.stderr


def test_sessions_are_deleted_with_what_was_computed_for_them(machine: Machine) -> None:
    paths = [machine.put(f"aaaa000{n}", f"number {n}", 1_700_000_000 + n) for n in (1, 2, 3)]
    states = machine.data / "roomcode" / "states"
    states.mkdir(parents=True)
    for name in ("0.aaaa0001.state", "1.aaaa0001.state", "0.aaaa0003.state", "2.state"):
        (states / name).write_bytes(b"x")
    done = machine.roomcode("sessions", "delete", "aaaa0001", "aaaa0002", "aaaa0001", "--yes")
    assert (done.returncode, done.stdout, done.stderr) == (0, "deleted aaaa0001\ndeleted aaaa0002\n", "")
    assert [path.exists() for path in paths] == [False, False, True]
    assert sorted(path.name for path in states.iterdir()) == ["0.aaaa0003.state", "2.state"]


def test_nothing_is_deleted_unasked_or_when_one_id_is_wrong(machine: Machine) -> None:
    path = machine.put("aaaa0001", "one", 1)
    done = machine.roomcode("sessions", "delete", "aaaa")
    assert done.returncode == 2
    assert "Give --yes" in done.stderr
    for ids in (("aaaa", "zzzz"), ("zzzz", "aaaa")):
        done = machine.roomcode("sessions", "delete", "--yes", *ids)
        assert done.returncode == 1
        assert done.stderr.startswith("roomcode: There is no session 'zzzz' here.")
    assert machine.roomcode("sessions", "delete", "--yes").returncode == 2
    assert path.exists()


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 130)])
def test_the_person_is_asked_and_shown_what_goes(machine: Machine, answer: str, code: int) -> None:
    path = machine.put("aaaa0001", "make a page", 1_700_000_000)
    machine.put("bbbb0002", "fix it", 1_700_000_001)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "roomcode", "sessions", "delete", "aaaa", "bbbb"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=machine.project,
        env=machine.environment,
    )
    os.write(ours, answer.encode())
    said = process.communicate()[0].decode()
    os.close(ours)
    os.close(theirs)
    assert process.returncode == code, said
    assert "make a page" in said
    assert "Delete these 2 sessions?" in said
    assert path.exists() == bool(code)


def test_a_session_that_is_open_elsewhere_is_left_and_the_others_go(machine: Machine) -> None:
    open_one, other = machine.put("aaaa0001", "one", 1), machine.put("bbbb0002", "two", 2)
    held = SessionFolder(None, open_one.parent).open("aaaa0001")
    done = machine.roomcode("sessions", "delete", "--yes", "aaaa", "bbbb")
    assert (done.returncode, done.stdout) == (1, "deleted bbbb0002\n")
    assert done.stderr == "roomcode: Session aaaa0001 is open in another roomcode: close it there first.\n"
    assert open_one.exists()
    assert not other.exists()
    held.release()
    assert machine.roomcode("sessions", "delete", "--yes", "aaaa").returncode == 0


def test_a_run_starts_a_session_and_continue_goes_on_with_it(machine: Machine) -> None:
    assert machine.run("first", answers=(call("write_file", path="a.txt", content="x"), "One.")).stdout == "One.\n"
    assert machine.run("other", answers=("Other.",)).returncode == 0
    assert machine.run("second", "--continue", answers=("Two.",)).stdout == "Two.\n"
    listed = machine.roomcode("sessions").stdout.splitlines()
    assert [line.split()[4:] for line in listed] == [["2", "requests", "other"], ["1", "request", "first"]]
    number = listed[1].split()[0]
    done = machine.run("third", "--session", number[:6], "--json", answers=("Three.",))
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert (events[0]["kind"], events[0]["request"]) == ("request_started", 2)
    shown = machine.roomcode("sessions", "show", number).stdout
    assert shown.index("> first") < shown.index("One.") < shown.index("> third") < shown.index("Three.")


def test_continue_and_session_together_are_wrong_usage(machine: Machine) -> None:
    done = machine.run("x", "--continue", "--session", "aaaa")
    assert done.returncode == 2
    assert "not both" in done.stderr
