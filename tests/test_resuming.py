"""Between agent and session: turns go into the file and come back the same, or encoded anew."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import pytest

from roomcode.agent import Conversation, Outcome, Turn
from roomcode.chat import ChatTemplate
from roomcode.engine.scripted import ScriptedEngine, byte_vocabulary
from roomcode.protocol.engine import EngineInfo
from roomcode.protocol.events import RequestStarted
from roomcode.resuming import Keeper, encode_answer, setup_of
from roomcode.session import LAST, NEW, OutcomeRecord, SessionFolder, Snapshot, TurnRecord
from tests.support import templates
from tests.support.samples import SPECS

VOCABULARY = byte_vocabulary()
END = VOCABULARY.encode("<|im_end|>", control=True)[0]


class Tagged:
    """A vocabulary with control tokens for the tags around calls, as trained models have them."""

    def encode(self, text: str, *, control: bool = False) -> list[int]:
        tags = {"<tool_call>": 1001, "</tool_call>": 1002}
        return [tags[text]] if control and text in tags else list(text.encode())

    def decode(self, tokens: Sequence[int]) -> bytes:
        tags = {1001: b"<tool_call>", 1002: b"</tool_call>"}
        return b"".join(tags.get(token) or bytes([token]) for token in tokens)


CALL = "<tool_call>\n<function=read_file>\n<parameter=path>\na.js\n</parameter>\n</function>\n</tool_call>"


def conversation(source: str = templates.JSON_TOOLS, system: str = "be good") -> Conversation:
    return Conversation(VOCABULARY, ChatTemplate(source), system, [], frozenset({END}))


def info(template: str = templates.JSON_TOOLS, path: str = "") -> EngineInfo:
    return EngineInfo(name="m", path=path, template=template, context=8192, parameters=0)


@pytest.fixture
def folder(tmp_path: Path) -> SessionFolder:
    return SessionFolder(Path("/project"), tmp_path / "sessions")


def keeper(folder: SessionFolder, wanted: str) -> Keeper:
    kept = Keeper(folder, Snapshot)
    kept.open_session(wanted)
    return kept


def attach(kept: Keeper, talk: Conversation, template: str = templates.JSON_TOOLS) -> None:
    kept.attach(talk, VOCABULARY, info(template), "xml", SPECS)


def start(kept: Keeper, number: int) -> None:
    kept.record(RequestStarted(request=number, prompt=f"ask {number}", model="m", form="xml"))


def fill(talk: Conversation, number: int) -> None:
    talk.add(Turn("request", number, 0, f"ask {number}"))
    talk.add_answer(number, 1, [*VOCABULARY.encode(CALL), END], CALL)
    outcome = Outcome(f"{number}.1.1", "read_file", "a.js", "long " * 80, changed=("a.js",), created=("a.js",), port=5)
    talk.add(Turn("results", number, 1, "", outcomes=(outcome,)))
    talk.add_answer(number, 2, [*VOCABULARY.encode("Done."), END], "Done.")


def test_turns_come_back_as_they_were(folder: SessionFolder) -> None:
    first, talk = keeper(folder, NEW), conversation()
    attach(first, talk)
    for number in (1, 2):
        start(first, number)
        fill(talk, number)
    first.close()
    second, again = keeper(folder, LAST), conversation()
    attach(second, again)
    assert again.turns == talk.turns
    assert (again.tokens, second.requests) == (talk.tokens, 2)
    second.close()


def test_nothing_of_a_turn_is_left_out_of_its_record() -> None:
    assert [field.name for field in fields(Outcome)] == list(OutcomeRecord.__struct_fields__)
    named = {"kind": "turn"}
    assert {named.get(field.name, field.name) for field in fields(Turn)} | {"id"} == set(TurnRecord.__struct_fields__)


def test_a_shortened_conversation_comes_back_shortened_and_small(folder: SessionFolder) -> None:
    first, talk = keeper(folder, NEW), conversation()
    attach(first, talk)
    for number in (1, 2, 3):
        start(first, number)
        fill(talk, number)
    size = folder.find(LAST).stat().st_size
    fold = talk.rendered([], Turn("fold", 1, 0, "[earlier: wrote a.js]"))
    talk.replace([fold, *talk.turns[3:]])
    assert folder.find(LAST).stat().st_size - size < 500, "turns that stay are not written again"
    start(first, 4)
    fill(talk, 4)
    first.close()
    second, again = keeper(folder, LAST), conversation()
    attach(second, again)
    assert again.turns == talk.turns
    # Shortened once more, by a roomcode that did not write those turns itself.
    again.replace(again.turns[2:])
    start(second, 5)
    fill(again, 5)
    second.close()
    third, last = keeper(folder, LAST), conversation()
    attach(third, last)
    assert last.turns == again.turns
    third.close()


@pytest.mark.parametrize("other", [templates.CHATML, templates.NO_SYSTEM, templates.ALTERNATING])
def test_another_template_renders_everything_in_its_own_way(folder: SessionFolder, other: str) -> None:
    first, talk = keeper(folder, NEW), conversation()
    attach(first, talk)
    for number in (1, 2):
        start(first, number)
        fill(talk, number)
    first.close()
    second, again = keeper(folder, LAST), conversation(other)
    attach(second, again, other)
    fresh = conversation(other)
    for turn in talk.turns:
        if turn.kind == "answer":
            fresh.add_answer(turn.request, turn.step, VOCABULARY.encode(turn.text), turn.text)
        else:
            fresh.add(turn)
    assert again.tokens == fresh.tokens
    second.close()


def test_a_template_that_refuses_the_conversation_starts_anew_and_says_so(folder: SessionFolder) -> None:
    first, talk = keeper(folder, NEW), conversation()
    attach(first, talk)
    for number in (1, 2, 3):
        start(first, number)
        fill(talk, number)
    first.close()
    picky = "{% if messages|length > 8 %}{{ raise_exception('too many') }}{% endif %}" + templates.CHATML
    second, again = keeper(folder, LAST), conversation(picky)
    attach(second, again, picky)
    assert again.turns == []
    assert any("cannot be used with this model" in notice for notice in second.take_notices())
    second.close()


def test_what_decides_the_tokens_is_in_the_setup(tmp_path: Path) -> None:
    model = tmp_path / "model.gguf"
    model.write_bytes(b"GGUF" + b"x" * 5000)
    plain = setup_of(info(path=str(model)), conversation(), "xml")
    assert plain.file.startswith("5004:")
    assert setup_of(info(path=str(model)), conversation(), "xml") == plain
    assert setup_of(info(), conversation(), "xml").file == ""
    assert setup_of(info(path=str(model)), conversation(system="be bad"), "xml").prefix != plain.prefix
    assert setup_of(info(templates.CHATML, str(model)), conversation(), "xml").template != plain.template
    model.write_bytes(b"GGUF" + b"y" * 5000)
    assert setup_of(info(path=str(model)), conversation(), "xml").file != plain.file


@pytest.mark.parametrize(
    ("answer", "tags"),
    [
        (f"I look.\n{CALL}", [1001, 1002]),
        (f"{CALL}\n{CALL}", [1001, 1002, 1001, 1002]),
        ("Just text, no call.", []),
        ("Models write `<tool_call>` before a call.", []),
        (CALL.replace("a.js", "<tool_call>.js"), []),
        (CALL.removesuffix("\n</tool_call>"), [1001]),
        ("</tool_call>", []),
    ],
)
def test_only_the_tags_of_real_calls_become_control_tokens(answer: str, tags: list[int]) -> None:
    codec = Tagged()
    tokens = encode_answer(codec, answer, SPECS)
    assert codec.decode(tokens).decode() == answer
    assert [token for token in tokens if token > 1000] == tags


async def test_a_keeper_without_a_folder_carries_the_conversation(tmp_path: Path) -> None:
    engine = ScriptedEngine(())
    kept = Keeper(None, Snapshot)
    kept.open_session(LAST)
    talk = conversation()
    kept.attach(talk, engine, engine.info, "xml", SPECS)
    fill(talk, 1)
    again = conversation(templates.CHATML)
    kept.attach(again, engine, engine.info, "json", SPECS)
    assert [turn.text for turn in again.turns] == [turn.text for turn in talk.turns]
    assert talk.journal is None
    assert (kept.id, kept.sessions(), kept.take_notices()) == ("", [], [])
    kept.close()
