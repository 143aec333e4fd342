"""Text of a growing answer: only whole characters are sent on, and what is taken back is taken back exactly."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.engine.text import AnswerText, common_length

HARD = "Done ✅ 日本語 👩🏽‍💻 naïve"


class Screen:
    """What a person sees: pieces that were sent, minus what was taken back."""

    def __init__(self) -> None:
        self.text = ""
        self.pieces: list[tuple[str, int]] = []

    def __call__(self, text: str, retract: int) -> None:
        assert 0 <= retract <= len(self.text)
        self.pieces.append((text, retract))
        self.text = self.text[: len(self.text) - retract] + text


def answer(screen: Screen, vocabulary: list[bytes]) -> AnswerText:
    return AnswerText(vocabulary.__getitem__, screen)


def chunks(data: bytes, sizes: list[int]) -> list[bytes]:
    parts, at = [], 0
    for size in sizes:
        parts.append(data[at : at + size])
        at += size
    return [*parts, data[at:]]


@given(st.text(), st.lists(st.integers(0, 5), max_size=60))
def test_text_is_exact_however_its_bytes_are_split(text: str, sizes: list[int]) -> None:
    data = text.encode("utf-8", "replace")
    parts = chunks(data, sizes)
    screen = Screen()
    growing = answer(screen, parts)
    for token in range(len(parts)):
        growing.push(token)
    growing.finish()
    assert screen.text == growing.value == data.decode()
    assert all(piece and not retract for piece, retract in screen.pieces)


def test_every_byte_a_token_of_its_own() -> None:
    data = HARD.encode()
    screen = Screen()
    growing = answer(screen, [bytes([b]) for b in range(256)])
    for byte in data:
        growing.push(byte)
    assert screen.text == HARD
    assert "".join(piece for piece, _ in screen.pieces) == HARD
    assert "\ufffd" not in screen.text
    assert all(len(piece) == 1 for piece, _ in screen.pieces)


def test_a_token_with_one_whole_and_one_half_character() -> None:
    screen = Screen()
    growing = answer(screen, [b"a\xe6\x97", b"\xa5b"])
    growing.push(0)
    assert screen.text == "a"
    growing.push(1)
    assert screen.text == "a日b"


@pytest.mark.parametrize("data", [b"ok \xff no", b"\xc3(", b"\xe2\x82(", b"a\xf0\x9f\x92b"])
def test_only_bytes_that_are_no_character_become_the_replacement(data: bytes) -> None:
    screen = Screen()
    growing = answer(screen, [bytes([b]) for b in range(256)])
    for byte in data:
        growing.push(byte)
    growing.finish()
    assert screen.text == data.decode("utf-8", "replace")
    assert "\ufffd" in screen.text


@pytest.mark.parametrize("kept", range(1, 4))
def test_half_a_character_at_the_end_is_dropped(kept: int) -> None:
    screen = Screen()
    growing = answer(screen, [b"naive ", "💻".encode()[:kept]])
    growing.push(0)
    growing.push(1)
    growing.finish()
    assert screen.text == growing.value == "naive "


def test_a_replacement_takes_back_no_more_than_it_must() -> None:
    screen = Screen()
    growing = answer(screen, [b"I look.\n", b"```", b"json", b"<tool_call>"])
    for token in (0, 1, 2):
        growing.push(token)
    growing.replace([0, 3])
    assert screen.text == growing.value == "I look.\n<tool_call>"
    assert screen.pieces[-1] == ("<tool_call>", len("```json"))


def test_a_replacement_in_the_middle_of_a_character_goes_on_with_it() -> None:
    screen = Screen()
    growing = answer(screen, [b"a", b"\xe6\x97", b"\xa5", b"x"])
    growing.push(0)
    growing.push(3)
    growing.replace([0, 1])
    assert screen.text == "a"
    growing.push(2)
    assert screen.text == growing.value == "a日"


def test_a_replacement_by_the_same_sends_nothing() -> None:
    screen = Screen()
    growing = answer(screen, [b"abc"])
    growing.push(0)
    growing.replace([0])
    assert screen.pieces == [("abc", 0)]


@given(st.lists(st.one_of(st.integers(0, 5), st.lists(st.integers(0, 5), max_size=4)), max_size=20))
def test_the_screen_always_shows_the_answer(changes: list[int | list[int]]) -> None:
    vocabulary = [b"a", b"\xe6", b"\x97", b"\xa5", "👩🏽‍💻".encode(), b"\xff"]
    screen = Screen()
    growing = answer(screen, vocabulary)
    tokens: list[int] = []
    for change in changes:
        if isinstance(change, int):
            tokens.append(change)
            growing.push(change)
        else:
            tokens = [*tokens[: len(tokens) // 2], *change]
            growing.replace(tokens)
        whole = b"".join(vocabulary[t] for t in tokens)
        assert screen.text == growing.value == codecs.getincrementaldecoder("utf-8")("replace").decode(whole)


@given(st.text("ab", max_size=8), st.text("ab", max_size=8))
def test_common_length_is_the_common_beginning(left: str, right: str) -> None:
    count = common_length(left, right)
    assert left[:count] == right[:count]
    assert count == min(len(left), len(right)) or left[count] != right[count]
