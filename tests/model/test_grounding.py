"""Edits held to long files, with vocabularies of real models."""

import random
from pathlib import Path

import pytest

from roomcode.calls.held import held_rules
from roomcode.chat import Form
from roomcode.engine.decoding import allowed
from roomcode.engine.llama import LlamaEngine
from roomcode.engine.vocabulary import CHAT_MARKERS

pytestmark = pytest.mark.model

SOURCES = sorted(Path(__file__).parents[2].glob("src/roomcode/**/*.py"))


def long_text(size: int) -> str:
    """Real code, with markers of the chat format in it."""
    text = "".join(f"{path.read_text('utf-8')}\n# see <tool_call> and <|im_end|>\n" for path in SOURCES[:60])
    return text[:size]


@pytest.mark.parametrize("form", ["xml", "json"])
@pytest.mark.parametrize("size", [10_000, 20_000, 60_000])
async def test_a_long_file_can_be_followed_to_the_end_of_a_piece(
    any_engine: LlamaEngine, form: Form, size: int
) -> None:
    """Wherever the model goes there is a way on, to a piece that stands there once; forced or chosen, no token of it
    is a marker."""
    engine = any_engine
    text = long_text(size)
    rules = held_rules(text, "old", form)
    assert rules is not None
    markers = [engine.encode(marker, control=True) for marker in ("<|im_start|>", "<|im_end|>", *CHAT_MARKERS)]
    control = {tokens[0] for tokens in markers if len(tokens) == 1}  # a vocabulary need not have all of them
    draw = random.Random(size)
    for _ in range(4):
        matcher = engine.matcher(f"start: held\n{rules}")
        tokens: list[int] = []
        while not matcher.done:
            assert len(tokens) < 3000
            forced = matcher.forced()
            for token in forced:
                assert matcher.commit(token)
            tokens += forced
            if matcher.done:
                break
            mask = allowed(matcher.mask(), 32 * len(matcher.mask()))
            choices = mask.nonzero()[0]
            assert len(choices)
            token = int(draw.choice(choices))
            assert matcher.commit(token)
            tokens.append(token)
        assert not control & set(tokens)
        written = engine.decode(tokens).decode()
        if form == "xml":
            piece = written.removesuffix("\n</parameter>")
            assert text.count(piece) == 1
        else:
            assert written.startswith('"')
            assert written.endswith('"')
