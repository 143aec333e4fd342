"""Every word the agent says to the model outside of tool results."""

from collections.abc import Sequence

from roomcode.protocol.tools import HintKind

__all__ = [
    "CHECK_ROUNDS",
    "CONTEXT_FULL",
    "EMPTY_ANSWER",
    "GARBAGE",
    "GARBAGE_CALL",
    "HINTS",
    "LOST_CALL",
    "ONLY_THINKING",
    "REPEATED_CALL",
    "REPEATS_ITSELF",
    "REPETITION",
    "REQUEST_TOO_LONG",
    "STEPS_BEFORE_ANOTHER",
    "STOPPED_CALL",
    "UNREAD_CALL",
    "WHOLE",
    "attempt_note",
    "check_note",
    "cut_answer",
    "kept_note",
    "strict_call",
    "system_prompt",
]

WHOLE = "the page loads and was used without errors, and what the request names is there"
"""What the person is told when nothing more is asked of the model."""
CHECK_ROUNDS = 3
"""How often a request that is about to end goes on because something is still wrong."""
STEPS_BEFORE_ANOTHER = 8
"""Steps of an attempt where another one is left."""
CHECK_ROUNDS_BEFORE_ANOTHER = 1
"""The same where another attempt is left: a small model does better at another one."""

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
REPEATED_CALL = "cut because the answer repeated itself; this call was not run"
GARBAGE_CALL = "not run: the engine was producing garbage"
LOST_CALL = "not run: the engine failed in the middle of it"
UNREAD_CALL = "This call could not be read, so nothing was run. Send it again."
REPEATS_ITSELF = "the model repeats itself inside one answer"
CONTEXT_FULL = "context full: start a new task (the files are kept)"
REQUEST_TOO_LONG = "context full: this request alone is too long for it; shorten it or choose a larger --context"
GARBAGE = "the engine is producing garbage (too many forced tokens in a row): try again or reload the model"

HINTS: dict[HintKind, str] = {
    "format": "",  # the call format itself, see hints.py
    "parts": "Hint: write the first 80 lines with write_file, then add the rest with write_file and append: true.",
    "copy_old": "Hint: call read_file on it, then copy a few whole lines exactly into old, without the line numbers.",
    "one_error": "Hint: fix only the first error, then serve again.",
}


def system_prompt(tool_text: str = "") -> str:
    """The whole system prompt; `tool_text` describes the tools where the chat template does not."""
    return f"{_SYSTEM}\n\n{tool_text}" if tool_text else _SYSTEM


def strict_call(tool: str, repairs: Sequence[str]) -> str:
    """Why a call that would have to be put right is refused, where that is switched off."""
    return f"This {tool} call was not run: {'; '.join(repairs)}. Send it again in the exact format."


def cut_answer(cap: int) -> str:
    """What the model is told when its answer was cut by the token cap."""
    return f"Your answer was cut at {cap} tokens. Write less at once: short files, or parts with append: true."


def attempt_note(number: int, most: int, faults: Sequence[str]) -> str:
    """What the person is told when a request is tried anew."""
    return f"attempt {number - 1} is taken back ({'; '.join(faults)}); attempt {number} of {most}"


def kept_note(number: int, faults: Sequence[str]) -> str:
    """What the person is told when an earlier attempt was better than the last one."""
    return f"attempt {number} was the best and is kept; still wrong: {'; '.join(faults)}"


def check_note(findings: Sequence[str]) -> str:
    """What the model is told when the request is about to end and something is still wrong."""
    listed = "\n".join(f"- {finding}" for finding in findings)
    return f"Not done yet. The project was checked:\n{listed}\nFix this with a tool call now."
