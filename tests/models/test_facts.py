"""What is read out of a GGUF file."""

from pathlib import Path

import pytest

from roomcode.models import ModelError, inspect


def test_facts_of_a_plain_model(write_gguf) -> None:
    path = write_gguf(tensors=2, metadata={"general.file_type": 15, "tokenizer.chat_template": "{{ messages }}"})
    facts = inspect(path)
    assert (facts.architecture, facts.name, facts.quantisation) == ("qwen2", "Tiny Test Model", "Q4_K_M")
    assert (facts.parameters, facts.training_context, facts.vocabulary) == (4096, 4096, 8)
    assert facts.size == facts.expected_size == path.stat().st_size
    assert (facts.form, facts.parts, facts.part) == (None, (path,), 1)
    # 2 layers with 2 KV heads, each with keys and values of 64 / 4 numbers of 2 bytes
    assert facts.kv_bytes_per_token == 2 * 2 * (16 + 16) * 2


def test_the_quantisation_is_told_from_the_weights_when_the_file_does_not_say(write_gguf) -> None:
    assert inspect(write_gguf()).quantisation == "F32"


def test_layers_without_keys_take_no_memory(write_gguf) -> None:
    per_layer = inspect(write_gguf("a.gguf", layers=4, kv_heads=[2, 0, 0, 2]))
    interval = inspect(
        write_gguf(
            "b.gguf", "qwen35", layers=8, metadata={"qwen35.full_attention_interval": 4, "qwen35.ssm.state_size": 8}
        )
    )
    assert per_layer.kv_bytes_per_token == interval.kv_bytes_per_token == 2 * 2 * (16 + 16) * 2
    assert interval.recurrent
    assert not per_layer.recurrent


def test_key_and_value_sizes_of_their_own_count(write_gguf) -> None:
    sizes = {"qwen2.attention.key_length": 128, "qwen2.attention.value_length": 64}
    assert inspect(write_gguf(metadata=sizes)).kv_bytes_per_token == 2 * 2 * (128 + 64) * 2


def test_a_split_model_is_counted_as_one(write_gguf) -> None:
    first = write_gguf("big-00001-of-00002.gguf", tensors=0, metadata={"split.count": 2, "split.no": 0})
    second = write_gguf("big-00002-of-00002.gguf", tensors=2, metadata={"split.count": 2, "split.no": 1})
    facts = inspect(first)
    assert facts.parts == (first, second)
    assert facts.size == first.stat().st_size + second.stat().st_size
    assert (facts.parameters, facts.missing_parts) == (4096, ())
    assert inspect(second).part == 2


def test_a_hostile_name_stays_text(write_gguf) -> None:
    facts = inspect(write_gguf(metadata={"general.basename": "\x1b]0;x\x07", "qwen2.block_count": 0}))
    assert facts.basename == "\x1b]0;x\x07"
    assert facts.kv_bytes_per_token == 0


@pytest.mark.model
def test_the_facts_of_a_real_model(small_model: Path) -> None:
    facts = inspect(small_model)
    assert (facts.basename, facts.quantisation, facts.form) == ("Qwen2.5-Coder", "Q4_K_M", "json")
    assert (facts.vocabulary, facts.kv_bytes_per_token, facts.training_context) == (151_936, 12_288, 32_768)
    assert facts.size == facts.expected_size == 491_400_064


def test_what_is_no_model_cannot_be_inspected(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="There is no file"):
        inspect(tmp_path / "none.gguf")
