"""Content types by file name, independent of the host's own table (which may call a script plain text)."""

from pathlib import PurePosixPath

__all__ = ["content_type", "is_text"]

_TYPES = {
    "html": "text/html",
    "htm": "text/html",
    "xhtml": "application/xhtml+xml",
    "css": "text/css",
    "js": "text/javascript",
    "mjs": "text/javascript",
    "cjs": "text/javascript",
    "json": "application/json",
    "map": "application/json",
    "jsonld": "application/ld+json",
    "geojson": "application/geo+json",
    "topojson": "application/json",
    "webmanifest": "application/manifest+json",
    "wasm": "application/wasm",
    "xml": "text/xml",
    "xsl": "text/xml",
    "rss": "application/rss+xml",
    "atom": "application/atom+xml",
    "svg": "image/svg+xml",
    "png": "image/png",
    "apng": "image/apng",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "ico": "image/x-icon",
    "cur": "image/x-icon",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "ttf": "font/ttf",
    "otf": "font/otf",
    "eot": "application/vnd.ms-fontobject",
    "mp3": "audio/mpeg",
    "m4a": "audio/mp4",
    "aac": "audio/aac",
    "wav": "audio/wav",
    "flac": "audio/flac",
    "ogg": "audio/ogg",
    "oga": "audio/ogg",
    "opus": "audio/ogg",
    "weba": "audio/webm",
    "mid": "audio/midi",
    "midi": "audio/midi",
    "mp4": "video/mp4",
    "m4v": "video/mp4",
    "webm": "video/webm",
    "ogv": "video/ogg",
    "mov": "video/quicktime",
    "mkv": "video/x-matroska",
    "vtt": "text/vtt",
    "srt": "text/plain",
    "txt": "text/plain",
    "md": "text/markdown",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "yaml": "text/yaml",
    "yml": "text/yaml",
    "toml": "text/plain",
    "ini": "text/plain",
    "log": "text/plain",
    "ts": "text/plain",
    "tsx": "text/plain",
    "jsx": "text/plain",
    "vue": "text/plain",
    "scss": "text/plain",
    "sass": "text/plain",
    "less": "text/plain",
    "glsl": "text/plain",
    "vert": "text/plain",
    "frag": "text/plain",
    "wgsl": "text/plain",
    "ics": "text/calendar",
    "pdf": "application/pdf",
    "zip": "application/zip",
    "gz": "application/gzip",
    "gltf": "model/gltf+json",
    "glb": "model/gltf-binary",
    "obj": "model/obj",
    "stl": "model/stl",
}
# `.ts` is TypeScript here, not a video stream; browsers run neither it nor `.jsx`, so both are plain text.

_TEXT = {"application/json", "application/manifest+json", "image/svg+xml", "application/xhtml+xml"}


def content_type(name: str) -> str:
    """The type of a file called `name`, without a charset."""
    return _TYPES.get(PurePosixPath(name).suffix[1:].lower(), "application/octet-stream")


def is_text(kind: str) -> bool:
    """Whether a charset belongs to this content type."""
    return kind.startswith("text/") or kind in _TEXT or kind.endswith(("+xml", "+json"))
