"""Makes scores/: tables of the default model on the sample, by the command line's own runs.

``make scores``, or ``python -m data.precompute``; takes some minutes. What is kept are Parquet
files with their manifests, which ``bertattn.export.precomputed`` reads where there is no torch.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import bertattn
from bertattn import cli

FOLDER = Path(__file__).resolve().parent / "scores"
RUNS = {"surface": "measure", "clusters": "cluster", "coref": "coref", "syntax": "score"}
TWICE = {("surface", "head_pairs")}  # clusters/ has this table with more in its manifest


def make(section: str, folder: Path = FOLDER) -> list[str]:
    """Run a section's command with its defaults; keep its tables, and none that was there before.

    Args:
        section: One of ``RUNS``.
        folder: Where a folder of the section's name shall be.

    Returns:
        The names of the tables.
    """
    with tempfile.TemporaryDirectory() as made:
        out = Path(made) / section
        if cli.main([RUNS[section], "--out", str(out)]):
            sys.exit(f"bertattn {RUNS[section]} failed; nothing was changed in {folder / section}")
        return keep(section, out, folder / section)


def keep(section: str, out: Path, folder: Path) -> list[str]:
    """Copy a run's tables and manifests, and say which command made them."""
    found = sorted(out.glob("*.parquet"))
    names = [p.stem for p in found if "." not in p.stem and (section, p.stem) not in TWICE]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = [f"{name}{ending}" for name in names for ending in (".json", ".parquet")]
    for file in files:
        shutil.copyfile(out / file, folder / file)
    ran = {"command": f"bertattn {RUNS[section]}", "bertattn": bertattn.__version__, "files": files}
    (folder / "run.json").write_text(json.dumps(ran, indent=1) + "\n", "utf-8")
    return names


def main() -> None:
    """Make all of them."""
    for section in RUNS:
        print(f"{section}: {', '.join(make(section))}")


if __name__ == "__main__":
    main()
