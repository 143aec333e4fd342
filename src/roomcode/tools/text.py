"""The text of results: cut so that one call never fills the context, with what is left out said in place."""

__all__ = ["LINE_LIMIT", "RESULT_LIMIT", "cut_line", "cut_middle", "numbered", "numbered_page", "plural", "with_notes"]

RESULT_LIMIT = 6000
"""Characters of one result."""
LINE_LIMIT = 2000
"""Characters of one line of a file that are shown at once."""


def plural(count: int, one: str, many: str = "") -> str:
    """`1 line`, `2 lines`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def cut_middle(text: str, limit: int = RESULT_LIMIT) -> str:
    """At most `limit` characters: the start and the end of a longer text, cut at line ends where these are near."""
    if len(text) <= limit:
        return text
    room = limit - len(_gap(len(text)))
    head_end = (room + 1) // 2
    tail_start = len(text) - room // 2
    line_end = text.rfind("\n", head_end - head_end // 4, head_end)
    if line_end >= 0:
        head_end = line_end
    line_start = text.find("\n", tail_start, tail_start + room // 8)
    if line_start >= 0:
        tail_start = line_start + 1
    return text[:head_end] + _gap(tail_start - head_end) + text[tail_start:]


def _gap(count: int) -> str:
    return f"\n[... {count:,} characters left out ...]\n"


def cut_line(line: str, number: int, column: int = 1, limit: int = LINE_LIMIT) -> str:
    """A line from a 1-based column on; when more of it follows, a mark that says how to read on."""
    start = column - 1
    if start == 0 and len(line) <= limit:
        return line
    end = min(len(line), start + limit)
    if end == len(line):
        return line[start:]
    if start == 0:
        mark = f"[line cut: {limit:,} of {len(line):,} characters; read_file start={number} column={end + 1} reads on]"
    else:
        mark = (
            f"[characters {column:,} to {end:,} of {len(line):,}; read_file start={number} column={end + 1} reads on]"
        )
    return line[start:end] + " " + mark


def numbered(lines: list[str], first: int) -> list[str]:
    """Lines with their numbers; `first` is the number of the first one."""
    return [f"{number}: {cut_line(line, number)}" for number, line in enumerate(lines, first)]


def numbered_page(text: str, limit: int) -> str:
    """The start of a file as `read_file` shows it, up to about `limit` characters."""
    if not text:
        return "(empty file)"
    lines = text.removesuffix("\n").split("\n")
    page: list[str] = []
    used = 0
    for number, line in enumerate(lines, 1):
        shown_line = f"{number}: {cut_line(line, number, limit=min(LINE_LIMIT, limit // 2))}"
        if page and used + len(shown_line) + 1 > limit:
            page.append(f"[lines 1-{number - 1} of {len(lines)}; read_file start={number} reads on]")
            break
        page.append(shown_line)
        used += len(shown_line) + 1
    return "\n".join(page)


def with_notes(text: str, notes: tuple[str, ...] | list[str]) -> str:
    """Notes after a result, each on its own line."""
    return "\n".join([text, *(f"Note: {note}" for note in notes)])
