"""The real program on a pseudo-terminal, with the scripted engine."""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>])")
COLOURS = re.compile(rb"\x1b\[(?:[\d;]*;)?(?:3[0-7]|4[0-7]|9[0-7]|10[0-7]|38;[25]|48;[25])[\d;]*m")
SECONDS = 60.0

SCRIPT = """\
=== answer
I'll write the page first.

<tool_call>
<function=write_file>
<parameter=path>
index.html
</parameter>
<parameter=content>
<!doctype html>
<html>
<body>
<h1>Hello from a script</h1>
</body>
</html>
</parameter>
</function>
</tool_call>
=== answer
<tool_call>
<function=serve>
</function>
</tool_call>
=== answer
<tool_call>
<function=edit_file>
<parameter=path>
index.html
</parameter>
<parameter=old>
Hello from a script
</parameter>
<parameter=new>
Hello again
</parameter>
</function>
</tool_call>
=== answer
The page is served.
=== answer
I begin to count slowly.
#! delay 60000
never said
=== answer
After the stop all is well.
"""


class Terminal:
    """A program on a pseudo-terminal of its own."""

    def __init__(self, command: list[str], environ: dict[str, str], size: tuple[int, int] = (100, 30)) -> None:
        self.master, self._slave = pty.openpty()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.before = termios.tcgetattr(self._slave)
        self.process = subprocess.Popen(
            command, stdin=self._slave, stdout=self._slave, stderr=self._slave, env=environ, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        self.raw = b""
        self._seen = 0

    def send(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def wait_for(self, text: str, seconds: float = SECONDS) -> None:
        """Until `text` is drawn after what was waited for before."""
        end = time.monotonic() + seconds
        while (at := ESCAPES.sub(b"", self.raw[self._seen :]).find(text.encode())) < 0:
            assert time.monotonic() < end, f"{text!r} did not appear in {ESCAPES.sub(b'', self.raw)[-1500:]!r}"
            self.read()
        assert at >= 0
        self._seen = len(self.raw)

    def wait_raw(self, sequence: bytes) -> None:
        """Until a control sequence was sent."""
        end = time.monotonic() + SECONDS
        while sequence not in self.raw:
            assert time.monotonic() < end, f"{sequence!r} was not sent"
            self.read()

    def read(self, seconds: float = 0.1) -> bool:
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 65_536)
        except OSError:
            return False
        self.raw += data
        return bool(data)

    def ended(self) -> int:
        """The exit code, with everything read that was written."""
        end = time.monotonic() + SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < end, "the program does not end"
            self.read()
        while self.read():
            pass
        return self.process.returncode

    def attributes(self) -> list[object]:
        return termios.tcgetattr(self._slave)

    def hang_up(self) -> None:
        os.close(self._slave)
        os.close(self.master)
        self.master = -1

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.master >= 0:
            os.close(self.master)
            os.close(self._slave)


Start = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `roomcode` in a project, with a home of its own."""
    terminals = []
    script = tmp_path / "script.txt"
    project = tmp_path / "project"
    project.mkdir()
    homes = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("DATA", "STATE", "CONFIG", "CACHE")}
    environ = {key: value for key, value in os.environ.items() if key != "NO_COLOR" and not key.startswith("ROOMCODE_")}

    def run(*flags: str, command: list[str] | None = None, answers: str = SCRIPT, **extra: str) -> Terminal:
        script.write_text(answers)
        command = command or [sys.executable, "-m", "roomcode", "app", "--engine", f"scripted:{script}", str(project)]
        terminal = Terminal([*command, *flags], {**environ, **homes, "TERM": "xterm-256color", **extra})
        terminals.append(terminal)
        return terminal

    yield run
    for terminal in terminals:
        terminal.close()


def descendants(terminal: Terminal) -> list[int]:
    """Every process that the program started, and itself."""
    return [terminal.process.pid, *(c.pid for c in psutil.Process(terminal.process.pid).children(recursive=True))]


def alive(pids: list[int]) -> list[str]:
    """What is left of them."""
    left = []
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            if process.status() != psutil.STATUS_ZOMBIE:
                left.append(process.name())
    return left


def all_end(terminal: Terminal, pids: list[int]) -> None:
    end = time.monotonic() + SECONDS
    while left := alive(pids):
        assert time.monotonic() < end, f"{left} is left"
        terminal.process.poll()
        time.sleep(0.05)


def serve_page(terminal: Terminal) -> int:
    """Ask for the page, approve it, and give the port that it is served on."""
    terminal.wait_for("Enter sends")
    terminal.send("make a page\r")
    terminal.wait_for("waiting for you")
    time.sleep(0.7)
    terminal.send("y")
    terminal.wait_for("http://127.0.0.1:")
    port = int(re.findall(rb"http://127\.0\.0\.1:(\d+)", ESCAPES.sub(b"", terminal.raw))[-1])
    terminal.wait_for("waiting for you")
    return port


def is_served(port: int) -> bool:
    """Whether the page is. Another program may have the port by now."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
            return b"<h1>Hello" in page.read()
    except OSError:
        return False


def quit_it(terminal: Terminal) -> int:
    terminal.send("\x03")
    terminal.wait_for("Ctrl+C again quits")
    terminal.send("\x03")
    return terminal.ended()


@pytest.mark.browser
@pytest.mark.slow
def test_a_page_from_request_to_reopening(start: Start) -> None:
    terminal = start()
    port = serve_page(terminal)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
        assert b"Hello from a script" in page.read()
    time.sleep(0.7)
    terminal.send("y")
    terminal.wait_for("4 steps")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
        assert b"Hello again" in page.read()
    everything = descendants(terminal)
    terminal.send("/picture\r")
    terminal.wait_for(f"picture of :{port}")
    terminal.wait_for("▀")
    terminal.send("\x1b")
    terminal.wait_for("4 steps")

    terminal.send("count\r")
    terminal.wait_for("count slowly")
    began = time.monotonic()
    terminal.send("\x1b")
    terminal.wait_for("stopped")
    assert time.monotonic() - began < 2
    terminal.send("go on\r")
    terminal.wait_for("all is well")

    assert quit_it(terminal) == 0
    assert terminal.attributes() == terminal.before
    for mode in (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?2004l"):
        assert mode in terminal.raw
    assert not is_served(port)
    all_end(terminal, everything)

    again = start()
    again.wait_for("Hello again")
    again.wait_for("all is well")
    assert quit_it(again) == 0


def test_what_is_typed_while_the_app_starts_is_not_lost(start: Start) -> None:
    terminal = start()
    end = time.monotonic() + SECONDS
    while terminal.attributes() == terminal.before:
        assert time.monotonic() < end
        terminal.read(0.005)
    terminal.send("typed ahead")
    terminal.wait_for("Enter sends")
    terminal.send(" and on")
    terminal.wait_for("typed ahead and on")


def test_without_colour_no_colour_is_sent(start: Start) -> None:
    terminal = start(NO_COLOR="1")
    terminal.wait_for("Enter sends")
    terminal.send("make a page\r")
    terminal.wait_for("waiting for you")
    assert COLOURS.findall(terminal.raw) == []


def test_a_killed_program_leaves_a_usable_terminal(start: Start) -> None:
    terminal = start()
    terminal.wait_for("Enter sends")
    assert terminal.attributes() != terminal.before
    terminal.process.send_signal(signal.SIGKILL)
    terminal.wait_for("ended from outside or crashed")
    assert terminal.attributes() == terminal.before
    assert b"\x1b[?1049l" in terminal.raw


def test_a_polite_end_restores_the_terminal(start: Start) -> None:
    terminal = start()
    terminal.wait_for("Enter sends")
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.ended() == 128 + signal.SIGTERM
    assert terminal.attributes() == terminal.before


def test_a_closed_terminal_leaves_no_process(start: Start) -> None:
    terminal = start()
    terminal.wait_for("Enter sends")
    everything = descendants(terminal)
    terminal.hang_up()
    all_end(terminal, everything)


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("end", ["closed terminal", signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV], ids=str)
def test_however_it_ends_no_browser_and_no_server_is_left(start: Start, end: str | signal.Signals) -> None:
    terminal = start()
    port = serve_page(terminal)
    everything = descendants(terminal)
    assert any("chrom" in name for name in alive(everything))
    assert is_served(port)
    if isinstance(end, str):
        terminal.hang_up()
    else:
        terminal.process.send_signal(end)
    all_end(terminal, everything)
    assert not is_served(port)


@pytest.mark.parametrize("where", ["subscribe", "request"])
def test_an_error_that_the_app_does_not_survive_closes_everything(start: Start, tmp_path: Path, where: str) -> None:
    program = tmp_path / "broken.py"
    program.write_text(
        "import os, sys\n"
        "from pathlib import Path\n"
        "from roomcode.native_output import divert_native_stderr\n"
        "from roomcode.tui.guard import restoring_terminal\n"
        "from roomcode.tui.replay import ReplayBackend\n"
        "from roomcode.tui.run import run_app\n"
        "folder = Path(sys.argv[1])\n"
        "class Broken(ReplayBackend):\n"
        "    def subscribe(self, emit):\n"
        "        if sys.argv[2] == 'subscribe':\n"
        "            raise RuntimeError('broken from the start')\n"
        "        return super().subscribe(emit)\n"
        "    async def request(self, prompt):\n"
        "        raise SystemExit(7)\n"
        "    async def close(self):\n"
        "        await super().close()\n"
        "        (folder / 'closed').touch()\n"
        "divert_native_stderr(folder / 'log.txt')\n"
        "with restoring_terminal():\n"
        "    sys.exit(run_app(Broken(), None, theme='', warnings=(), environ={}))\n"
    )
    terminal = start(command=[sys.executable, str(program), str(tmp_path), where])
    if where == "request":
        terminal.wait_for("replay")
        terminal.send("go\r")
    assert terminal.ended() != 0
    assert (tmp_path / "closed").exists()
    assert terminal.attributes() == terminal.before
    assert terminal.raw.rfind(b"\x1b[?1049l") > terminal.raw.rfind(b"\x1b[?1049h")


def test_it_can_be_suspended_and_comes_back(start: Start) -> None:
    terminal = start()
    terminal.wait_for("Enter sends")
    terminal.send("half a dra")
    terminal.wait_for("half a dra")
    for _ in range(2):
        terminal.send("\x1a")
        end = time.monotonic() + SECONDS
        while psutil.Process(terminal.process.pid).status() != psutil.STATUS_STOPPED:
            assert time.monotonic() < end, "it does not stop"
            terminal.read()
        assert terminal.attributes() == terminal.before
        assert terminal.raw.rfind(b"\x1b[?1049l") > terminal.raw.rfind(b"\x1b[?1049h")
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_for("half a dra")
        assert terminal.attributes() != terminal.before
        assert terminal.raw.rfind(b"\x1b[?1049h") > terminal.raw.rfind(b"\x1b[?1049l")
    terminal.send("ft")
    terminal.wait_for("ft")
    assert quit_it(terminal) == 0
    assert terminal.attributes() == terminal.before


@pytest.mark.parametrize(("background", "light"), [("ffff/ffff/ffff", True), ("1c1c/1c1c/1c1c", False)])
def test_the_colours_fit_the_background_that_the_terminal_tells(start: Start, background: str, light: bool) -> None:
    terminal = start(COLORTERM="truecolor")
    terminal.wait_raw(b"\x1b[c")
    terminal.send(f"\x1b]11;rgb:{background}\x1b\\\x1b[?62;22c")
    terminal.wait_for("Enter sends")
    assert (b"48;2;251;251;250" in terminal.raw) is light
    terminal.send("\x1b]11;rgb:0000/0000/0000\x07late")
    terminal.wait_for("late")
    assert b"rgb:" not in ESCAPES.sub(b"", terminal.raw)
    assert quit_it(terminal) == 0
    assert terminal.attributes() == terminal.before


def test_what_native_libraries_print_does_not_reach_the_picture(start: Start, tmp_path: Path) -> None:
    program = tmp_path / "noisy.py"
    program.write_text(
        "import os, sys\n"
        "from pathlib import Path\n"
        "from roomcode.native_output import divert_native_stderr\n"
        "from roomcode.tui.replay import ReplayBackend\n"
        "from roomcode.tui.run import run_app\n"
        "class Noisy(ReplayBackend):\n"
        "    async def load(self, on_progress, model=''):\n"
        "        await super().load(on_progress, model)\n"
        "        os.write(2, b'NOISE on two')\n"
        "        os.write(1, b'NOISE on one')\n"
        "log = Path(sys.argv[1])\n"
        "divert_native_stderr(log)\n"
        "code = run_app(Noisy(), None, theme='', warnings=(), environ={})\n"
        "print('printed after the end')\n"
        "sys.exit(code)\n"
    )
    log = tmp_path / "log.txt"
    terminal = start(command=[sys.executable, str(program), str(log)])
    terminal.wait_for("replay")
    assert quit_it(terminal) == 0
    assert b"NOISE" not in terminal.raw
    assert b"printed after the end" in terminal.raw
    assert log.read_text().count("NOISE") == 2


def test_linear_mode_sends_no_control_codes(start: Start) -> None:
    first, *_ = SCRIPT.split("=== answer\n")[1:]
    terminal = start("--plain", answers=f"=== answer\n{first}" + "=== answer\nAs you like.\n" * 3, TERM="dumb")
    terminal.wait_for("Type a request")
    terminal.send("make a page\n")
    terminal.wait_for("y approve")
    terminal.send("n\n")
    terminal.wait_for("Why not?")
    terminal.send("too short\n")
    terminal.wait_for("rejected: too short")
    terminal.wait_for("steps")
    terminal.send("\x04")
    assert terminal.ended() == 0
    assert b"\x1b" not in terminal.raw


def test_without_a_terminal_it_says_what_to_use(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "roomcode", "app", str(tmp_path)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env={**os.environ, "TERM": "xterm"}, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "roomcode run" in done.stderr


@pytest.mark.model
@pytest.mark.slow
def test_a_small_real_model_answers_in_the_app(start: Start, tmp_path: Path) -> None:
    from roomcode.models import installed, load_catalogue, models_dir

    names = [model.entry.name for model in installed(models_dir(), load_catalogue()) if model.entry]
    if "qwen2.5-coder-0.5b" not in names:
        pytest.skip("the model is not on this machine")
    project = tmp_path / "real"
    project.mkdir()
    command = [
        sys.executable, "-m", "roomcode", "app", "--model", "qwen2.5-coder-0.5b", "--mode", "auto", "--max-steps", "2",
        "--seed", "1", str(project),
    ]  # fmt: skip
    threads = os.environ.get("ROOMCODE_THREADS", "0")
    terminal = start(command=command, ROOMCODE_MODELS=str(models_dir()), ROOMCODE_THREADS=threads)
    terminal.wait_for("Enter sends")
    terminal.send("Write index.html with a heading that says Hi.\r")
    terminal.wait_for("write_file", 300)
    terminal.send("\x1b")
    terminal.wait_for("tool call", 60)

    # Half a minute of reading before the first token.
    words = " ".join(f"word{number}" for number in range(1_500))
    terminal.send(f"\x1b[200~What is the last word? {words}\x1b[201~")
    terminal.wait_for("pasted 12")
    time.sleep(1)
    terminal.send("\r")
    terminal.wait_for("step 1", 60)
    time.sleep(2)
    terminal.send("\x1b")
    terminal.wait_for("stopped", 5)
    terminal.send("still here")
    terminal.wait_for("still here", 5)
    assert quit_it(terminal) == 0
    assert json.dumps(terminal.attributes()[:4]) == json.dumps(terminal.before[:4])
