"""Figures as a table."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Figure", "show"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value as text, and the goal where there is one."""

    name: str
    value: str
    goal: str = ""


def show(title: str, figures: Sequence[Figure]) -> None:
    """Print a table."""
    width = max(len(f.name) for f in figures)
    wide = max(len(f.value) for f in figures)
    print(f"\n{title}")
    for figure in figures:
        goal = f"  (goal: {figure.goal})" if figure.goal else ""
        print(f"  {figure.name:<{width}}  {figure.value:>{wide}}{goal}")
