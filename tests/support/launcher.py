"""Runs `roomcode` in processes of their own that start at once, because this one has imported and tried everything.

Reads lines of JSON from its standard input: the arguments, the file for what they print, and when the process is killed
(null: never): so many seconds after it has printed so many bytes. Answers each with the exit code when it has ended.
"""

import asyncio
import importlib
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

_HAS_ENDED = os.WEXITED | os.WNOHANG | os.WNOWAIT


async def _try(folder: Path) -> None:
    """Patterns and templates are compiled when they are first used."""
    from msgspec.structs import replace

    from roomcode.assembly import Runtime
    from roomcode.config import Settings

    script = folder / "script.txt"
    script.write_text("=== answer\n<tool_call>\n<function=list_dir>\n</function>\n</tool_call>\n=== answer\nDone.\n")
    runtime = Runtime(folder, replace(Settings(), engine=f"scripted:{script}"))
    await runtime.load()
    await runtime.request("try")
    await runtime.close()


def serve() -> None:
    importlib.import_module("roomcode.commands.run")
    from roomcode.cli import main

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_try(Path(folder)))
    for line in sys.stdin:
        arguments, output, kill_at = json.loads(line)
        target = os.open(output, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        child = os.fork()
        if child == 0:
            os.dup2(target, 1)
            os.dup2(target, 2)
            try:
                main(arguments)
            except SystemExit as ended:
                sys.stdout.flush()
                os._exit(ended.code if isinstance(ended.code, int) else 1)
        if kill_at is not None:
            size, seconds = kill_at
            while os.fstat(target).st_size < size and not os.waitid(os.P_PID, child, _HAS_ENDED):
                time.sleep(0.001)
            time.sleep(seconds)
            # Until it is waited for, its number belongs to it, so nobody else can be hit.
            os.kill(child, signal.SIGKILL)
        os.close(target)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
