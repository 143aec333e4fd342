"""Write constraints.txt: the exact version of every package that roomcode and its development tools need, as installed
in the environment this runs in. Start it with `.venv/bin/python scripts/pin.py` after an update that passes all tests.
"""

import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TARGET = Path(__file__).resolve().parent.parent / "constraints.txt"
HEAD = """\
# Exact versions of everything roomcode needs, with its development tools. Written by scripts/pin.py.
"""


def needed(name: str, extras: frozenset[str], found: dict[str, str]) -> None:
    """Add the requirements of an installed package to `found`, with theirs."""
    for line in distribution(name).requires or []:
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is not None and not any(marker.evaluate({"extra": extra}) for extra in extras | {""}):
            continue
        key = canonicalize_name(requirement.name)
        try:
            version = distribution(requirement.name).version
        except PackageNotFoundError:
            sys.exit(f"{requirement.name} is needed by {name} but not installed: run `make setup` first")
        if key not in found or requirement.extras:
            found[key] = version
            needed(requirement.name, frozenset(requirement.extras), found)


def main() -> None:
    found: dict[str, str] = {}
    needed("roomcode", frozenset({"dev"}), found)
    found.pop("roomcode", None)
    TARGET.write_text(HEAD + "".join(f"{name}=={version}\n" for name, version in sorted(found.items())))
    print(f"{len(found)} packages are pinned in {TARGET.name}")


if __name__ == "__main__":
    main()
