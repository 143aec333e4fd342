"""What a file that is not text is, by its first bytes."""

__all__ = ["binary_kind", "size_text"]

_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "PNG picture"),
    (0, b"\xff\xd8\xff", "JPEG picture"),
    (0, b"GIF8", "GIF picture"),
    (8, b"WEBP", "WebP picture"),
    (0, b"BM", "BMP picture"),
    (0, b"\x00\x00\x01\x00", "icon"),
    (8, b"AVI ", "AVI video"),
    (8, b"WAVE", "WAV sound"),
    (4, b"ftypavif", "AVIF picture"),
    (4, b"ftypheic", "HEIC picture"),
    (4, b"ftyp", "MP4 video or sound"),
    (0, b"\x1aE\xdf\xa3", "WebM or Matroska video"),
    (0, b"ID3", "MP3 sound"),
    (0, b"\xff\xfb", "MP3 sound"),
    (0, b"OggS", "Ogg sound or video"),
    (0, b"fLaC", "FLAC sound"),
    (0, b"wOF2", "WOFF2 font"),
    (0, b"wOFF", "WOFF font"),
    (0, b"\x00\x01\x00\x00", "TrueType font"),
    (0, b"OTTO", "OpenType font"),
    (0, b"\x00asm", "WebAssembly module"),
    (0, b"%PDF", "PDF document"),
    (0, b"PK\x03\x04", "ZIP archive or office document"),
    (0, b"\x1f\x8b", "gzip archive"),
    (0, b"BZh", "bzip2 archive"),
    (0, b"\xfd7zXZ\x00", "xz archive"),
    (0, b"(\xb5/\xfd", "zstd archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (257, b"ustar", "tar archive"),
    (0, b"SQLite format 3\x00", "SQLite database"),
    (0, b"\x7fELF", "program"),
    (0, b"MZ", "Windows program"),
    (0, b"\xcf\xfa\xed\xfe", "program"),
    (0, b"GGUF", "GGUF model"),
)


def binary_kind(head: bytes) -> str:
    """A name for data that starts with `head` (at least 300 bytes of it, if there are as many)."""
    for offset, magic, kind in _MAGIC:
        if head.startswith(magic, offset):
            return kind
    return "binary file"


def size_text(size: int) -> str:
    """A number of bytes for people: `812 B`, `1.2 KB`, `51 MB`."""
    if size < 1000:
        return f"{size} B"
    value = float(size)
    unit = "B"
    for larger in ("KB", "MB", "GB", "TB"):
        if value < 999.5:
            break
        value /= 1000
        unit = larger
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"
