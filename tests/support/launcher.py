"""Runs `roomcode` in processes of their own that start at once, because this one has imported everything before.

Reads lines of JSON from its standard input: the arguments, the file for what they print, and when the process is killed
(null: never): so many seconds after it has printed so many bytes. Answers each with the exit code when it has ended.
"""

import importlib
import json
import os
import signal
import sys
import time

_HAS_ENDED = os.WEXITED | os.WNOHANG | os.WNOWAIT


def serve() -> None:
    for module in ("roomcode.assembly", "roomcode.commands.run", "roomcode.engine.scripted"):
        importlib.import_module(module)
    from roomcode.cli import main

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
