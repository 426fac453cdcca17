"""``python -m docs.site index`` writes the contents, ``check`` compares, ``build`` the site."""

import argparse
import sys
from pathlib import Path

from docs.site import build, index
from docs.site.pages import SiteError


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m docs.site", description=__doc__)
    parser.add_argument("command", choices=["index", "check", "build"])
    parser.add_argument("--to", type=Path, default=build.FOLDER, metavar="FOLDER")
    asked = parser.parse_args()
    if asked.command == "index":
        index.write()
    elif asked.command == "check":
        sys.exit("\n".join(index.stale()) or 0)
    else:
        _build(asked.to)


def _build(folder: Path) -> None:
    try:
        pages = build.build(folder)
    except SiteError as error:
        sys.exit(str(error))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    print(f"{folder / 'index.html'}: {len(pages)} pages, {size:.1f} MB")


if __name__ == "__main__":
    main()
