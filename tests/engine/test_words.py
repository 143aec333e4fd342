"""The vocabulary that is read beside the weights says the same as the model itself."""

from contextlib import suppress
from pathlib import Path

import pytest

from roomcode.engine import native
from roomcode.engine.words import Words
from roomcode.protocol.engine import EngineError
from tests.support.tiny_gguf import CHATML, CONTROL, write_llama


@pytest.mark.parametrize("template", [CHATML, CHATML + "{# <tool_call> #}", ""])
def test_markers_and_end_tokens_are_those_of_the_model(tmp_path: Path, template: str) -> None:
    path = write_llama(tmp_path / "m.gguf", template=template)
    words, model = Words(str(path)), native.Model(str(path))
    facts = words.facts()
    assert facts.end_tokens == {token for token in range(model.vocab_size) if model.ends_turn(token)}
    assert facts.end_tokens
    assert set(CONTROL) <= facts.markers
    silent = {model.token_text(token) for token in facts.silent}
    assert "<|im_start|>" in silent
    assert not silent & {"<tool_call>", "</tool_call>", "<|im_end|>", "<think>", "</think>"}
    assert words.tokenizer().vocab_size == model.vocab_size
    assert model.pieces() == [model.piece(token) for token in range(model.vocab_size)]
    words.close()
    model.close()


def test_a_file_that_is_no_model_is_told_when_it_is_asked_for(tmp_path: Path) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF" + b"\0" * 64)
    words = Words(str(bad))
    words.start()
    for ask in (words.facts, words.tokenizer):
        with pytest.raises(EngineError, match="cannot load"):
            ask()
    words.close()


def test_closing_what_was_never_read_is_harmless(tmp_path: Path) -> None:
    Words(str(tmp_path / "none.gguf")).close()
    Words(str(tmp_path / "none.gguf")).close(wait=False)


def test_closing_gives_up_what_is_being_read(tmp_path: Path) -> None:
    words = Words(str(write_llama(tmp_path / "m.gguf")))
    words.start()
    words.close()
    for ask in (words.facts, words.tokenizer):
        with suppress(EngineError):  # or it was quicker
            ask()
