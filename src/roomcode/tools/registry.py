"""The tools a model is given, in the order it is told about them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from roomcode.protocol.tools import Tool, ToolSpec

__all__ = ["Toolset"]


@dataclass(frozen=True, slots=True)
class Toolset:
    """An ordered, immutable set of tools with different names. Switching tools on or off gives another set."""

    tools: tuple[Tool, ...] = ()

    def __post_init__(self) -> None:
        names = self.names
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ValueError(f"two tools with one name: {', '.join(sorted(twice))}")

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(tool.spec for tool in self.tools)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(tool.spec.name for tool in self.tools)

    def get(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.spec.name == name), None)

    def with_only(self, names: Iterable[str]) -> "Toolset":
        """The tools with these names, in the order of this set; names that it does not have are left out."""
        wanted = frozenset(names)
        return Toolset(tuple(tool for tool in self.tools if tool.spec.name in wanted))

    def without(self, names: Iterable[str]) -> "Toolset":
        unwanted = frozenset(names)
        return Toolset(tuple(tool for tool in self.tools if tool.spec.name not in unwanted))

    def with_more(self, tools: Iterable[Tool]) -> "Toolset":
        """These tools after the ones of this set. Raises ValueError for a name that is there already."""
        return Toolset((*self.tools, *tools))

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)
