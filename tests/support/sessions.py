"""Events and sessions for tests: small ones built by hand, and large ones made up."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from roomcode.protocol.display import FileChange
from roomcode.protocol.events import (
    Call,
    CallOpened,
    Event,
    RequestEnded,
    RequestStarted,
    Result,
    StepEnded,
    StepStarted,
    Text,
    Usage,
)
from roomcode.session.records import (
    VERSION,
    Header,
    OutcomeRecord,
    Record,
    Setup,
    State,
    TurnRecord,
    Turns,
    encode_record,
)

__all__ = ["SETUP", "ended", "header", "large_session", "request", "shape", "well_ordered", "write"]

SETUP = Setup(model="m", file="1:a", template="t", form="xml", prefix="p")


def header(number: str = "0badcafe", version: int = VERSION) -> Header:
    return Header(version=version, id=number, project="/project", created=1_000_000.0)


def ended(request: int, reason: str = "done") -> RequestEnded:
    return RequestEnded(
        request=request,
        reason="stopped" if reason == "stopped" else "done",
        detail="" if reason == "done" else reason,
        answer="",
        steps=1,
        calls=1,
        tokens=5,
        tok_per_s=1.0,
        seconds=1.0,
        files=(),
        summary="1 step · 1 tool call",
    )


def request(number: int, *, calls: Sequence[str] = ("a.js",), prompt: str = "make it") -> list[Event]:
    """One request of two steps: an answer with a write for each name in `calls`, and a closing one."""
    ids = [f"{number}.1.{i}" for i in range(1, len(calls) + 1)]
    events: list[Event] = [
        RequestStarted(request=number, prompt=prompt, model="m", form="xml"),
        StepStarted(step=1),
        Text(text="I write."),
        *(CallOpened(call=call, tool="write_file") for call in ids),
    ]
    for call, path in zip(ids, calls, strict=True):
        events.append(Call(call=call, tool="write_file", arguments={"path": path, "content": "x\n"}))
    for call, path in zip(ids, calls, strict=True):
        display = FileChange(path, None, "x\n")
        events.append(Result(call=call, tool="write_file", state="ok", text=f"Created {path}.", display=display))
    usage = Usage(new=10, sampled=5, seconds=1.0)
    return [
        *events,
        StepEnded(step=1, usage=usage, context_used=30, context_budget=100),
        StepStarted(step=2),
        Text(text="Done."),
        StepEnded(step=2, usage=usage, context_used=40, context_budget=100),
        ended(number),
    ]


def shape(events: Sequence[Event]) -> str:
    """One letter for each event, in the order of the protocol's grammar."""
    letters = {
        "RequestStarted": "r",
        "StepStarted": "s",
        "Text": "t",
        "CallOpened": "o",
        "CallArgs": "a",
        "Call": "c",
        "Approval": "p",
        "Result": "l",
        "Note": "n",
        "StepEnded": "e",
        "RequestEnded": "E",
    }
    return "".join(letters[type(event).__name__] for event in events)


_ORDER = re.compile(r"(?:rn*+(?:s[toac]*+[cplo]*+n*+en*+)*+E)*+")


def well_ordered(events: Sequence[Event]) -> bool:
    """The events keep the documented order, and each call was opened and has exactly one result."""
    opened = [event.call for event in events if isinstance(event, CallOpened)]
    results = [event.call for event in events if isinstance(event, Result)]
    return bool(_ORDER.fullmatch(shape(events))) and sorted(opened) == sorted(results)


def write(path: Path, records: Sequence[Record]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(encode_record, records)))
    return path


def large_session(size: int) -> Iterator[Record]:
    """A long session of about `size` bytes: requests that write a file of some hundred lines again and again, and every
    now and then a conversation that is shortened to fit the context."""
    yield header()
    yield SETUP
    content = "".join(f"  const value{i} = document.querySelector('#item-{i}');\n" for i in range(120))
    tokens = tuple((i * 7919) % 150_000 for i in range(900))
    done, turn, number = 0, 0, 0
    while done < size:
        number += 1
        prompt = f"change number {number}"
        records: list[Record] = [RequestStarted(request=number, prompt=prompt, model="m", form="xml")]
        turn += 1
        records.append(State(time=1_000_000.0 + number))
        records.append(TurnRecord(id=turn, turn="request", request=number, step=0, text=prompt, tokens=(1, 2, 3)))
        for step in range(1, 7):
            call = f"{number}.{step}.1"
            change = FileChange("app.js", content, content + f"// {number}.{step}\n")
            outcome = OutcomeRecord(call=call, tool="write_file", argument="app.js", text="Changed app.js. " * 20)
            records += [
                StepStarted(step=step),
                Text(text="I change the file. " * 10),
                CallOpened(call=call, tool="write_file"),
                Call(call=call, tool="write_file", arguments={"path": "app.js", "content": content}),
                TurnRecord(id=turn + 1, turn="answer", request=number, step=step, text=content, tokens=tokens),
                Result(call=call, tool="write_file", state="ok", text=outcome.text, display=change),
                TurnRecord(
                    id=turn + 2,
                    turn="results",
                    request=number,
                    step=step,
                    text="",
                    tokens=tokens[:200],
                    outcomes=(outcome,),
                ),
                StepEnded(step=step, usage=Usage(new=200, sampled=900), context_used=9000, context_budget=12_000),
            ]
            turn += 2
        records.append(ended(number))
        if number % 2 == 0:
            records.append(Turns(reason="shortened", turns=tuple(range(turn - 12, turn + 1))))
        yield from records
        done += sum(len(encode_record(record)) for record in records)
