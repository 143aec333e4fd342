"""The table of weight types must say what the format says."""

from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType, LlamaFileType

from roomcode.models.ggml import FILE_TYPES, TENSOR_TYPES


def test_every_weight_type_of_the_format_is_known_with_its_size() -> None:
    theirs = {int(kind): (GGMLQuantizationType(kind).name, *sizes) for kind, sizes in GGML_QUANT_SIZES.items()}
    assert {kind: tuple(ours) for kind, ours in TENSOR_TYPES.items()} == theirs


def test_every_file_type_of_the_format_has_its_usual_name() -> None:
    theirs = {
        int(kind): kind.name.removeprefix("MOSTLY_").removeprefix("ALL_").removesuffix("_MOE")
        for kind in LlamaFileType
        if kind.name != "GUESSED"
    }
    assert theirs == FILE_TYPES
