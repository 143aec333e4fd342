"""Every word the agent says to the model outside of tool results."""

from collections.abc import Sequence

from roomcode.protocol.tools import HintKind

__all__ = ["EMPTY_ANSWER", "HINTS", "ONLY_THINKING", "REPETITION", "STOPPED_CALL", "cut_answer", "system_prompt"]

_SYSTEM = """\
You are roomcode, a coding agent in the user's project folder. You build static web apps: HTML, CSS and JavaScript \
files, no build step, no libraries from the net.
Work with tools, one small step after the other. Paths are relative to the project folder.
- New files: write_file, under about 100 lines a call. Longer files: write_file, then more parts with append: true.
- Changes: read_file first, then edit_file.
- When the files are written: serve, then fix every error it shows, one at a time.
When all is done, answer in one or two sentences without a tool call."""

EMPTY_ANSWER = "Your answer was empty. Call a tool, or say that you are done."
ONLY_THINKING = "Your last turn had only thinking. Close it and call the tool now, or say that you are done."
REPETITION = "You repeated the same text over and over, so it was cut. Go on without repeating."
STOPPED_CALL = "stopped by the user"

HINTS: dict[HintKind, str] = {
    "format": "",  # the call format itself, see hints.py
    "parts": "Hint: write the first 80 lines with write_file, then add the rest with write_file and append: true.",
    "copy_old": "Hint: call read_file on it, then copy a few whole lines exactly into old, without the line numbers.",
    "one_error": "Hint: fix only the first error, then serve again.",
}


def system_prompt(tool_text: str = "") -> str:
    """The whole system prompt; `tool_text` describes the tools where the chat template does not."""
    return f"{_SYSTEM}\n\n{tool_text}" if tool_text else _SYSTEM


def cut_answer(cap: int) -> str:
    """What the model is told when its answer was cut by the token cap."""
    return f"Your answer was cut at {cap} tokens. Write less at once: short files, or parts with append: true."


def joined(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)
