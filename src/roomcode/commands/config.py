"""`roomcode config`: each setting, its value and where it comes from."""

import json
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from roomcode.config import DEFAULT, Resolved, keys, load, project_config_path, user_config_path

__all__ = ["config"]


@click.command()
@click.option(
    "--dir",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The project whose settings to show (default: this folder).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def config(folder: Path, as_json: bool) -> None:
    """Show each setting and where it comes from.

    Settings come from config.toml in your config folder, .roomcode/config.toml in the project, ROOMCODE_* variables and
    the command line; what comes later wins.
    """
    project = folder.resolve()
    resolved = load(project)
    if as_json:
        values = {name: {"value": resolved.value(name), "from": resolved.origins[name]} for name in keys()}
        click.echo(json.dumps(values, indent=2))
        return
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    console.print(_table(resolved))
    for path in (user_config_path(), project_config_path(project)):
        console.print(Text(f"{path}{'' if path in resolved.files else ' (not there)'}"), soft_wrap=True)
    for warning in resolved.warnings:
        click.echo(warning, err=True)


def _table(resolved: Resolved) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("setting", "value", "from", "what it does"):
        table.add_column(title, overflow="fold")
    for key in keys().values():
        origin = resolved.origins[key.name]
        style = "" if origin == DEFAULT else "bold"
        table.add_row(
            Text(key.name, style=style),
            Text(_shown(resolved.value(key.name)), style=style),
            Text(origin),
            key.description,
        )
    return table


def _shown(value: Any) -> str:
    """A value as it would be written in a config file."""
    if value is None:
        return "unset"
    return json.dumps(value, ensure_ascii=False)
