"""Tiny models with random weights: real files that llama.cpp loads, for tests of the engine and of constraints."""

from pathlib import Path

import gguf
import numpy as np

__all__ = ["CHATML", "CONTROL", "write_hybrid", "write_llama", "write_mamba", "write_sliding"]

CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>")

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

_WORDS = (
    "the",
    "in",
    "er",
    "file",
    "path",
    "name",
    "function",
    "parameter",
    "read",
    "write",
    "</",
    ">\n",
    '":',
    '", "',
    '"}',
    '"}}',
    '"}\n',
    '", ',
    '"\n',
    '")',
    '";',
    '",\n',
    '" ',
    '">',
    '"/>',
    '"]',
    *(f"{letter}\n" for letter in "abcdefghijklmnopqrstuvwxyz0123456789"),
)
"""Merged tokens. Many hold a quote or a line end, so that values of a random model end after some dozens of tokens."""


def _byte_alphabet() -> list[str]:
    """The printable stand-ins of GPT-2's tokenizer for the 256 bytes, by byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    extra = iter(range(256, 512))
    return [chr(b) if b in printable else chr(next(extra)) for b in range(256)]


def _tokens() -> tuple[list[str], list[int], list[str]]:
    """Token texts, token types and merges of a small byte-level BPE vocabulary."""
    alphabet = _byte_alphabet()
    tokens = list(alphabet)
    merges: list[str] = []
    for word in _WORDS:
        parts = [alphabet[b] for b in word.encode()]
        left = parts[0]
        for right in parts[1:]:
            if left + right not in tokens:
                merges.append(f"{left} {right}")
                tokens.append(left + right)
            left += right
    types = [int(gguf.TokenType.NORMAL)] * len(tokens)
    for text in CONTROL:
        tokens.append(text)
        markers = ("<tool_call>", "</tool_call>")
        types.append(int(gguf.TokenType.USER_DEFINED if text in markers else gguf.TokenType.CONTROL))
    return tokens, types, merges


def _vocabulary(writer: gguf.GGUFWriter, template: str) -> int:
    tokens, types, merges = _tokens()
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(merges)
    writer.add_eos_token_id(tokens.index("<|im_end|>"))
    writer.add_bos_token_id(tokens.index("<|endoftext|>"))
    writer.add_add_bos_token(False)
    if template:
        writer.add_chat_template(template)
    return len(tokens)


def _finish(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_llama(path: Path, *, template: str = CHATML, seed: int = 0, context: int = 4096, spread: float = 0.5) -> Path:
    """A plain attention model of two layers, 32 wide; a few hundred KB. A small `spread` makes all tokens about equally
    likely."""
    rng = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, "llama")
    width, layers, heads, inner = 32, 2, 4, 64
    writer.add_name("tiny")
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    size = _vocabulary(writer, template)

    def tensor(name: str, *shape: int, scale: float = 0.5) -> None:
        writer.add_tensor(name, rng.normal(0, scale, shape).astype(np.float32))

    def ones(name: str) -> None:
        writer.add_tensor(name, np.ones(width, np.float32))

    tensor("token_embd.weight", size, width)
    ones("output_norm.weight")
    tensor("output.weight", size, width, scale=spread)
    for i in range(layers):
        ones(f"blk.{i}.attn_norm.weight")
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            tensor(f"blk.{i}.{part}.weight", width, width)
        ones(f"blk.{i}.ffn_norm.weight")
        tensor(f"blk.{i}.ffn_gate.weight", inner, width)
        tensor(f"blk.{i}.ffn_up.weight", inner, width)
        tensor(f"blk.{i}.ffn_down.weight", width, inner)
    _finish(writer)
    return path


def write_mamba(path: Path, *, template: str = CHATML, seed: int = 0) -> Path:
    """A recurrent model of two layers: its memory cannot be cut."""
    rng = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, "mamba")
    width, layers, conv, inner, state, rank = 32, 2, 4, 64, 16, 4
    writer.add_name("tiny-mamba")
    writer.add_context_length(4096)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(0)
    writer.add_head_count(0)
    writer.add_block_count(layers)
    writer.add_ssm_conv_kernel(conv)
    writer.add_ssm_inner_size(inner)
    writer.add_ssm_state_size(state)
    writer.add_ssm_time_step_rank(rank)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    size = _vocabulary(writer, template)

    def tensor(name: str, *shape: int, scale: float = 0.3) -> None:
        writer.add_tensor(name, rng.normal(0, scale, shape).astype(np.float32))

    tensor("token_embd.weight", size, width)
    writer.add_tensor("output_norm.weight", np.ones(width, np.float32))
    tensor("output.weight", size, width)
    for i in range(layers):
        writer.add_tensor(f"blk.{i}.attn_norm.weight", np.ones(width, np.float32))
        tensor(f"blk.{i}.ssm_in.weight", 2 * inner, width)
        tensor(f"blk.{i}.ssm_conv1d.weight", inner, conv)
        tensor(f"blk.{i}.ssm_conv1d.bias", inner)
        tensor(f"blk.{i}.ssm_x.weight", rank + 2 * state, inner)
        tensor(f"blk.{i}.ssm_dt.weight", inner, rank)
        tensor(f"blk.{i}.ssm_dt.bias", inner)
        writer.add_tensor(
            f"blk.{i}.ssm_a", -np.tile(np.arange(1, state + 1, dtype=np.float32), (inner, 1)).astype(np.float32)
        )
        writer.add_tensor(f"blk.{i}.ssm_d", np.ones(inner, np.float32))
        tensor(f"blk.{i}.ssm_out.weight", width, inner)
    _finish(writer)
    return path


def write_sliding(path: Path, *, template: str = CHATML, seed: int = 0, window: int = 16) -> Path:
    """A model of two layers, one of which sees only the last `window` tokens."""
    rng = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, "gemma2")
    width, layers, heads, inner = 32, 2, 4, 64
    writer.add_name("tiny-sliding")
    writer.add_context_length(4096)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_key_length(width // heads)
    writer.add_value_length(width // heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_sliding_window(window)
    writer.add_attn_logit_softcapping(50.0)
    writer.add_final_logit_softcapping(30.0)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    size = _vocabulary(writer, template)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(name, rng.normal(0, 0.5, shape).astype(np.float32))

    def ones(name: str) -> None:
        writer.add_tensor(name, np.ones(width, np.float32))

    tensor("token_embd.weight", size, width)
    ones("output_norm.weight")
    for i in range(layers):
        for norm in ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"):
            ones(f"blk.{i}.{norm}.weight")
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            tensor(f"blk.{i}.{part}.weight", width, width)
        tensor(f"blk.{i}.ffn_gate.weight", inner, width)
        tensor(f"blk.{i}.ffn_up.weight", inner, width)
        tensor(f"blk.{i}.ffn_down.weight", width, inner)
    _finish(writer)
    return path


def write_hybrid(path: Path, *, template: str = CHATML, seed: int = 0) -> Path:
    """A model of two layers, one recurrent (a short convolution) and one of attention."""
    rng = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, "lfm2")
    width, heads, inner, kernel = 32, 4, 64, 3
    writer.add_name("tiny-hybrid")
    writer.add_context_length(4096)
    writer.add_embedding_length(width)
    writer.add_block_count(2)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv([0, heads])
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_shortconv_l_cache(kernel)
    writer.add_vocab_size(len(_tokens()[0]))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    size = _vocabulary(writer, template)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(name, rng.normal(0, 0.4, shape).astype(np.float32))

    def ones(name: str, wide: int = width) -> None:
        writer.add_tensor(name, np.ones(wide, np.float32))

    tensor("token_embd.weight", size, width)
    ones("token_embd_norm.weight")
    for i in range(2):
        ones(f"blk.{i}.attn_norm.weight")
        ones(f"blk.{i}.ffn_norm.weight")
        tensor(f"blk.{i}.ffn_gate.weight", inner, width)
        tensor(f"blk.{i}.ffn_up.weight", inner, width)
        tensor(f"blk.{i}.ffn_down.weight", width, inner)
    tensor("blk.0.shortconv.conv.weight", width, kernel)
    tensor("blk.0.shortconv.in_proj.weight", 3 * width, width)
    tensor("blk.0.shortconv.out_proj.weight", width, width)
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        tensor(f"blk.1.{part}.weight", width, width)
    ones("blk.1.attn_q_norm.weight", width // heads)
    ones("blk.1.attn_k_norm.weight", width // heads)
    _finish(writer)
    return path
