"""Foreign text never becomes a control token, and comes back as it was."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.engine.scripted import byte_vocabulary
from roomcode.engine.vocabulary import CHAT_MARKERS, Vocabulary, split_markers

MARKERS = ("<|im_start|>", "<|im_end|>", "<|end|>", "<tool_call>", "</tool_call>", "<a", "<abc", "<abcdef", "aa", "><")
TEXTS = st.lists(
    st.sampled_from([*MARKERS, "<|im_", "end|>", "<", ">", "a", "aaa", "<ab", "<|", " ", "日", "\n"]), max_size=30
).map("".join)


def pattern(markers: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(markers, key=len))))


@given(text=TEXTS, markers=st.lists(st.sampled_from(MARKERS), min_size=1, unique=True))
def test_no_piece_holds_a_marker_and_joined_they_are_the_text(text: str, markers: list[str]) -> None:
    pieces = split_markers(text, pattern(tuple(markers)))
    assert "".join(pieces) == text
    assert all(pieces)
    for piece in pieces:
        assert not any(marker in piece for marker in markers), (piece, pieces)


@given(
    text=st.text(alphabet="ab<>", max_size=40), markers=st.lists(st.text("ab<>", min_size=2, max_size=5), min_size=1)
)
def test_that_holds_for_any_markers(text: str, markers: list[str]) -> None:
    pieces = split_markers(text, pattern(tuple(markers)))
    assert "".join(pieces) == text
    assert not any(marker in piece for piece in pieces for marker in markers)


def test_text_without_markers_stays_in_one_piece() -> None:
    assert split_markers("just < text |im_end| >", pattern(MARKERS[:5])) == ["just < text |im_end| >"]
    assert split_markers("anything <|im_end|>", None) == ["anything <|im_end|>"]
    assert split_markers("", pattern(MARKERS)) == []
    assert split_markers("", None) == []


@pytest.mark.parametrize("marker", ["<|im_start|>", "<|im_end|>", "<|endoftext|>"])
def test_control_tokens_come_only_out_of_the_templates_own_text(marker: str) -> None:
    vocabulary = byte_vocabulary()
    own = vocabulary.encode(f"a{marker}b", control=True)
    foreign = vocabulary.encode(f"a{marker}b")
    assert len(own) == 3
    assert len(foreign) == 2 + len(marker)
    assert vocabulary.decode(own) == vocabulary.decode(foreign) == f"a{marker}b".encode()


@given(st.text())
def test_foreign_text_comes_back_as_it_was(text: str) -> None:
    vocabulary = byte_vocabulary()
    assert vocabulary.decode(vocabulary.encode(text)) == text.encode("utf-8", "replace")


class Greedy:
    """A tokenizer that takes markers for single tokens whether it was told to or not, as some vocabularies do."""

    def __init__(self) -> None:
        self.asked: list[tuple[bytes, bool]] = []

    def tokenize(self, text: bytes, special: bool) -> list[int]:
        self.asked.append((text, special))
        parts = re.split(b"(<tool_call>|</tool_call>)", text)
        return [t for part in parts for t in ([1000] if part in (b"<tool_call>", b"</tool_call>") else list(part))]


def test_markers_that_the_tokenizer_knows_as_ordinary_tokens_stay_text_too() -> None:
    greedy = Greedy()
    vocabulary = Vocabulary(greedy.tokenize, lambda t: bytes([t % 256]), CHAT_MARKERS)
    assert 1000 not in vocabulary.encode("a <tool_call> b </tool_call></tool_call>")
    assert {special for _, special in greedy.asked} == {False}
    assert 1000 in vocabulary.encode("<tool_call>", control=True)
    assert vocabulary.encode("") == []


def test_pieces_are_asked_for_once() -> None:
    asked: list[int] = []

    def piece(token: int) -> bytes:
        asked.append(token)
        return b"x"

    vocabulary = Vocabulary(lambda text, _special: list(text), piece, ())
    assert vocabulary.decode([5, 5, 6, 5]) == b"xxxx"
    assert asked == [5, 6]


def test_half_characters_do_not_break_the_encoding() -> None:
    assert byte_vocabulary().encode("a\ud83d") == list(b"a?")
