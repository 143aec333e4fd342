"""Who may import whom, how long files may be, and which words have no place in them."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "roomcode"
FILES = sorted(ROOT.rglob("*.py"))

ROOMS: dict[str, set[str]] = {
    "protocol": set(),
    "calls": {"protocol", "chat"},
    "chat": set(),
    "engine": {"protocol"},
    "workspace": {"protocol"},
    "preview": set(),
    "models": {"protocol", "chat"},
    "config": set(),
    "native_output": set(),
    "tools": {"limits", "protocol", "workspace", "preview"},
    "agent": {"protocol", "calls", "chat"},
    "session": {"protocol"},
    "checks": {
        "behaviour",
        "cures",
        "expectations",
        "moves",
        "next_change",
        "preview",
        "promises",
        "resets",
        "screens",
        "telling",
        "wording",
    },
    "handlers": {"cures", "preview", "wording"},
    "next_change": {"cures", "handlers", "limits", "parts", "preview", "promises", "renames", "screens", "wording"},
    "choices": {"preview"},
    "resets": {"preview"},
    "screens": {"cures", "preview"},
    "telling": {"preview", "wording"},
    "behaviour": set(),
    "cures": {"exact"},
    "exact": set(),
    "limits": {"wording"},
    "moves": {"preview", "wording"},
    "expectations": {"choices", "examples", "preview"},
    "examples": {"preview"},
    "parts": set(),
    "promises": {"wording"},
    "wording": set(),
    "renames": set(),
    "additions": {"preview", "promises", "wording"},
    "supply": set(),
    "briefing": {"supply", "workspace", "wording"},
    "computed": {"protocol"},
    "headless": {"protocol"},
    "resuming": {"protocol", "agent", "session", "calls", "chat"},
    "tui": {"protocol"},
}
"""For each room those that it may import. Arrows point down only; `assembly`, `commands` and `cli` put it all together
and may import anything."""
COMPOSITION = {"assembly", "guidance", "commands", "cli", "__main__", "__init__"}

LIBRARIES: dict[str, tuple[str, ...]] = {
    "textual": ("tui/",),
    "rich": ("tui/", "commands/"),
    "PIL": ("tui/graphics.py",),
    "llama_cpp": ("engine/",),
    "llguidance": ("engine/",),
    "playwright": ("preview/browser.py", "preview/page.py", "preview/sandbox.py"),
    "aiohttp": ("preview/",),
    "huggingface_hub": ("models/",),
    "gguf": ("models/",),
    "jinja2": ("chat/",),
    "click": ("cli.py", "commands/"),
}
"""Libraries that only some files may import."""

HEAVY = {"textual", "PIL", "playwright", "huggingface_hub", "jinja2", "gguf"}
"""What start-up must not wait for: `roomcode run` imports these inside functions, or only in files it loads late."""

LONGEST = 600
LONG = 400
LOOP = 300

WORKPLACE = re.compile(
    r"\bspec\s+S\d|\bBR-\d|\bS[1-9]\.[1-9]\b|\bissue\s+#?\d|/work/|\bshared/|cases\.md|design\.md|spec\.md|models\.md"
)
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|NotImplementedError|HACK)\b")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def room(path: Path) -> str:
    """The package or top-level module that a file belongs to."""
    parts = path.relative_to(ROOT).parts
    return parts[0] if len(parts) > 1 else path.stem


def modules(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every module that is imported anywhere in a file, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in line {node.lineno}"
            assert node.module
            if node.module == "roomcode":
                for alias in node.names:
                    yield f"roomcode.{alias.name}", node.lineno
            else:
                yield node.module, node.lineno


@cache
def text(path: Path) -> str:
    return path.read_text("utf-8")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(text(path))


@cache
def imports(path: Path) -> tuple[tuple[str, int], ...]:
    return tuple(modules(tree(path)))


def test_imports_point_down() -> None:
    wrong = []
    for path in FILES:
        own = room(path)
        if own in COMPOSITION:
            continue
        assert own in ROOMS, f"{own} is a new room: say in ROOMS what it may import"
        for module, line in imports(path):
            if not module.startswith("roomcode.") or module == "roomcode.__version__":
                continue
            other = module.split(".")[1]
            if other != own and other not in ROOMS[own]:
                wrong.append(f"{name(path)}:{line} imports {module}")
    assert not wrong


def test_the_rooms_have_no_circle() -> None:
    done: set[str] = set()
    while len(done) < len(ROOMS):
        free = {own for own, others in ROOMS.items() if own not in done and others <= done}
        assert free, f"a circle among {sorted(set(ROOMS) - done)}"
        done |= free
    assert {room(path) for path in FILES} <= done | COMPOSITION


def test_only_the_assembly_and_the_commands_name_the_assembly() -> None:
    for path in FILES:
        named = {module.split(".")[1] for module, _ in imports(path) if module.startswith("roomcode.")}
        assert room(path) in COMPOSITION or not named & COMPOSITION, name(path)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_imported_only_where_it_belongs(library: str) -> None:
    found = False
    for path in FILES:
        for module, line in imports(path):
            if module.split(".")[0] == library:
                found = True
                assert name(path).startswith(LIBRARIES[library]), f"{name(path)}:{line} imports {module}"
    assert found, f"{library} is not used any more"


def at_import(path: Path) -> set[str]:
    """Modules that are imported when this file is: not those inside functions, or only for type checking."""
    found: set[str] = set()
    waiting: list[ast.AST] = [tree(path)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.update(module for module, _ in modules(node))
            if isinstance(node, ast.ImportFrom) and node.module and node.module != "roomcode":
                found.update(f"{node.module}.{alias.name}" for alias in node.names)
        waiting.extend(ast.iter_child_nodes(node))
    return found


def loaded_by(start: str) -> set[str]:
    """All modules that importing `start` loads, found by reading."""
    done: set[str] = set()
    waiting = [start]
    while waiting:
        module = waiting.pop()
        if module in done:
            continue
        done.add(module)
        if not module.startswith("roomcode"):
            continue
        inside = ROOT.joinpath(*module.split(".")[1:])
        path = next((p for p in (inside.parent / f"{inside.name}.py", inside / "__init__.py") if p.is_file()), None)
        if path is None:
            continue  # a name inside a module
        waiting.extend(at_import(path))
        if "." in module:
            waiting.append(module.rpartition(".")[0])
    return done


@pytest.mark.parametrize("start", ["roomcode.cli", "roomcode.commands.run", "roomcode.assembly"])
def test_starting_up_loads_nothing_heavy(start: str) -> None:
    loaded = {module.split(".")[0] for module in loaded_by(start)}
    assert not loaded & HEAVY, sorted(loaded & HEAVY)
    if start == "roomcode.cli":
        assert not loaded & {"rich", "numpy", "aiohttp", "llama_cpp", "asyncio"}


def lines(path: Path) -> list[str]:
    return text(path).splitlines()


def test_no_file_is_too_long_few_are_long_and_the_loop_is_short() -> None:
    counts = {name(path): len(lines(path)) for path in FILES}
    assert {n: count for n, count in counts.items() if count > LONGEST} == {}
    long = [n for n, count in counts.items() if count > LONG]
    assert len(long) <= len(FILES) // 25, f"over {LONG} lines: {', '.join(long)}"
    assert counts["agent/loop.py"] < LOOP


def written() -> list[Path]:
    """Everything that people wrote, but for this file, which has to name the words."""
    top = ROOT.parents[1]
    folders = ("src", "tests", "scripts", "evals", "benchmarks", "docs", "demo")
    found = [p for folder in folders for p in (top / folder).rglob("*") if p.suffix in (".py", ".md", ".sh", ".toml")]
    return [p for p in (*found, *top.glob("*.md"), *top.glob("*.toml"), top / "Makefile") if p != Path(__file__)]


def test_files_speak_of_the_product_alone() -> None:
    found = [f"{p}:{n} {line}" for p in written() for n, line in enumerate(lines(p), 1) if WORKPLACE.search(line)]
    assert not found


def test_nothing_is_left_unfinished() -> None:
    for path in FILES:
        raised = [n.exc for n in ast.walk(tree(path)) if isinstance(n, ast.Raise) and n.exc is not None]
        assert not [exc for exc in raised if "NotImplementedError" in ast.unparse(exc)], name(path)
        comments = [line.partition("# ")[2] for line in lines(path)]
        assert not [comment for comment in comments if UNFINISHED.search(comment)], name(path)


def test_modules_say_what_they_are_and_importing_them_does_nothing() -> None:
    wrong = []
    for path in FILES:
        body = tree(path).body
        if body and not ast.get_docstring(tree(path)):
            wrong.append(f"{name(path)} has no docstring")
        calls = [n for n in body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)]
        if calls and path.name != "__main__.py":
            wrong.append(f"{name(path)}:{calls[0].lineno} runs something when it is imported")
        offers = any(isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "__all__" for n in body)
        if path.name == "__init__.py" and any(isinstance(n, ast.ImportFrom) for n in body) and not offers:
            wrong.append(f"{name(path)} has no __all__")
    assert not wrong
