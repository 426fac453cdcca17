"""Runs the benchmarks and writes their sections of RESULTS.md; the others' stay as they are.

``--only clusters`` takes some of them, ``--quick`` takes two rounds and writes nothing.
"""

import argparse
import datetime
import platform
import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from benchmarks import (
    capture,
    cluster,
    clusters,
    costs,
    growth,
    importance,
    memory,
    notebooks,
    probes,
    starts,
    surface,
    syntax,
    together,
    views,
)

RESULTS = Path(__file__).with_name("RESULTS.md")
SPEED = {
    "capture": capture,
    "growth": growth,
    "surface": surface,
    "syntax": syntax,
    "importance": importance,
    "clusters": clusters,
    "probes": probes,
    "together": together,
}
Section = Callable[[int], list[str]]


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two rounds, nothing written")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--rounds", type=int, default=7, help="of which the median is taken")
    chosen = parser.parse_args()
    rounds = 2 if chosen.quick else chosen.rounds
    found = {name: SECTIONS[name](rounds) for name in chosen.only}
    for lines in found.values():
        print("\n".join(lines), end="\n\n")
    if not chosen.quick:
        kept = read(RESULTS) if RESULTS.exists() else {}
        RESULTS.write_text(page(kept | found), encoding="utf-8")


def page(sections: dict[str, list[str]]) -> str:
    """All sections in order."""
    blocks = ["# Results", "Written by `make bench`, each section when it was last measured."]
    blocks += [
        "\n".join([f"## {name}", "", *sections[name]]) for name in SECTIONS if name in sections
    ]
    return "\n\n".join(blocks) + "\n"


def read(path: Path) -> dict[str, list[str]]:
    """The sections that were written before."""
    parts = re.split(r"^## (.+)\n\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], (text.strip().splitlines() for text in parts[2::2]), strict=True))


def _speed(name: str) -> Section:
    def section(rounds: int) -> list[str]:
        rows = [f"| {x.what} | {x.ratio:.2f} | {x.wanted} |" for x in SPEED[name].lines(rounds)]
        what = f"ratios of processor time within a round, medians of {rounds} rounds"
        return [
            f"{machine()} Speed: {what}.",
            "",
            "| what | ratio | wanted |",
            "|---|---|---|",
            *rows,
        ]

    return section


def _cluster(rounds: int) -> list[str]:
    rows = [f"| {x.what} | {x.ratio:.3g} | {x.wanted} |" for x in cluster.lines(rounds)]
    return [
        f"{machine()} Seconds on the clock, medians of {rounds} rounds in turn.",
        "",
        "| what | number | wanted |",
        "|---|---|---|",
        *rows,
    ]


def _memory(_: int) -> list[str]:
    peaks = memory.peaks()
    small, large = memory.SIZES[0], memory.SIZES[-1]
    return [
        f"{machine()} Above the loaded model, `minilm`, segments of 128 pieces.",
        "",
        "| segments | peak, MiB | wanted |",
        "|---|---|---|",
        *(f"| {size:,} | {peak:.0f} | |" for size, peak in peaks.items()),
        f"| growth from {small:,} to {large:,} | {peaks[large] - peaks[small]:.0f} | under 20 |",
    ]


def _costs(_: int) -> list[str]:
    rows = [
        f"| {x.what} | {x.said:.1f} | {x.took:.1f} | {100 * x.error:+.0f} |"
        for x in costs.forecasts()
    ]
    return [
        f"{machine()} What `measure.cost` said after three batches, and what the run took.",
        "",
        "| run | seconds forecast | seconds taken | error in % (within 30) |",
        "|---|---|---|---|",
        *rows,
    ]


def _starts(_: int) -> list[str]:
    rows = [f"| {x.notebook} | {x.cold:.1f} | {x.warm:.1f} |" for x in starts.starts()]
    return [
        f"{machine()} Seconds until the first cell, the imports, is done; cold: no file in memory.",
        "",
        "| notebook | cold | warm |",
        "|---|---|---|",
        *rows,
    ]


def _trained(_: int) -> list[str]:
    n = f"{probes.N_TRAIN:,} / {probes.N_DEV:,} / {probes.N_TEST:,}"
    found = probes.scores()
    rows = [f"| {x.probe} | {', '.join(f'{100 * uas:.1f}' for uas in x.uas)} |" for x in found]
    return [
        f"{machine()} UAS by seed, `minilm`, WikiText-2 with silver trees, {n} sentences.",
        "",
        *(["| probe | UAS |", "|---|---|", *rows] if rows else ["That text is not here."]),
    ]


def _notebooks(_: int) -> list[str]:
    rows = [
        f"| {name} | {seconds:.0f} | {notebooks.LONGER.get(name, notebooks.BUDGET)} |"
        for name, seconds in notebooks.seconds().items()
    ]
    return [
        f"{machine()} Seconds from start to end, HTML included.",
        "",
        "| notebook | seconds | budget |",
        "|---|---|---|",
        *rows,
    ]


def _views(rounds: int) -> list[str]:
    rows = [
        f"| {x.what} | {x.megabytes:.2f} | {x.seconds:.2f} | {x.blocked:.2f} |"
        for x in views.pages(rounds)
    ]
    return [
        f"{machine()} Every head's map in one page, opened in headless Chromium; of {rounds}.",
        "",
        "| page | MB (under 2) | s until it lives (under 1) | s blocked at a time (under 1) |",
        "|---|---|---|---|",
        *rows,
    ]


SECTIONS: dict[str, Section] = {
    **{name: _speed(name) for name in SPEED},
    "cluster": _cluster,
    "memory": _memory,
    "costs": _costs,
    "starts": _starts,
    "wikitext": _trained,
    "notebooks": _notebooks,
    "views": _views,
}


def machine() -> str:
    """When and on what it ran."""
    import os

    import torch

    libraries = ", ".join(f"{name} {version(name)}" for name in ("torch", "transformers", "numpy"))
    return (
        f"{datetime.date.today()}, {os.cpu_count()} cores ({_processor()}), "
        f"{torch.get_num_threads()} thread, Python {platform.python_version()}, {libraries}; a "
        "shared and noisy machine, so only ratios within a section mean anything."
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor() or platform.machine()
    lines = info.read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    main()
