"""Checks the files of data/ against the table in README.md; ``--write`` renews the numbers."""

import argparse
import hashlib
import re
import sys
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent
README = FOLDER / "README.md"
ROW = re.compile(
    r"^\| `(?P<path>[^`]+)` \| (?P<licence>[^|]+) \| (?P<size>[^|]+) \| (?P<sum>[^|]+) \|$", re.M
)


class Row(NamedTuple):
    """A line of the table."""

    path: str
    licence: str
    size: str
    sha256: str


def listed() -> list[Row]:
    """The table of README.md."""
    return [
        Row(m["path"], m["licence"], m["size"].replace(",", ""), m["sum"].strip("`"))
        for m in ROW.finditer(README.read_text(encoding="utf-8"))
    ]


def found(path: Path) -> tuple[str, str]:
    """Size and sum of a file."""
    content = path.read_bytes()
    return str(len(content)), hashlib.sha256(content).hexdigest()


def faults() -> list[str]:
    """What is missing or changed."""
    said = []
    for row in listed():
        path = FOLDER / row.path
        if not path.exists():
            said.append(f"{row.path}: missing")
        elif found(path) != (row.size, row.sha256):
            said.append(f"{row.path}: size or sha256 is not what README.md says")
    return said


def write() -> None:
    """Renew sizes and sums in the table."""

    def renewed(match: re.Match) -> str:
        size, digest = found(FOLDER / match["path"])
        return f"| `{match['path']}` | {match['licence']} | {int(size):,} | `{digest}` |"

    text = README.read_text(encoding="utf-8")
    README.write_text(ROW.sub(renewed, text), encoding="utf-8")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew sizes and sums in README.md")
    if parser.parse_args().write:
        write()
    wrong = faults()
    print("\n".join(wrong) if wrong else f"{len(listed())} files are what data/README.md says")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
