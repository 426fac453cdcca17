"""Runs every benchmark and writes RESULTS.md; ``--quick`` takes fewer rounds and writes nothing."""

import argparse
import datetime
import platform
from importlib.metadata import version
from pathlib import Path

from benchmarks import capture, clusters, importance, memory, notebooks, probes, syntax

RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two rounds, nothing written")
    quick = parser.parse_args().quick
    text = report(rounds=2 if quick else 7)
    print(text)
    if not quick:
        RESULTS.write_text(text, encoding="utf-8")


def report(rounds: int) -> str:
    """All results as a page."""
    ratios = [
        f"| {x.what} | {x.ratio:.2f} | {x.wanted} |"
        for part in (capture, syntax, importance, clusters, probes)
        for x in part.lines(rounds)
    ]
    peaks = memory.peaks()
    small, large = memory.SIZES
    times = [
        f"| {n} | {s:.0f} | {notebooks.LONGER.get(n, notebooks.BUDGET)} |"
        for n, s in notebooks.seconds().items()
    ]
    return "\n".join(
        [
            "# Results",
            "",
            f"Written by `make bench` on {datetime.date.today()}. {machine()}",
            "",
            f"## Speed: ratios of processor time, medians of {rounds} rounds in turn",
            "",
            "| what | ratio | wanted |",
            "|---|---|---|",
            *ratios,
            "",
            "## Memory above the loaded model, `minilm`, segments of 128 pieces",
            "",
            "| segments | peak, MiB | wanted |",
            "|---|---|---|",
            *(f"| {size:,} | {peak:.0f} | |" for size, peak in peaks.items()),
            f"| growth | {peaks[large] - peaks[small]:.0f} | under 20 |",
            "",
            *trained(),
            "## Notebooks, seconds from start to end, HTML included",
            "",
            "| notebook | seconds | budget |",
            "|---|---|---|",
            *times,
            "",
        ]
    )


def trained() -> list[str]:
    """How well probes do on more text, as a section; empty where that text is not here."""
    found = probes.scores()
    if not found:
        return []
    n = f"{probes.N_TRAIN:,} / {probes.N_DEV:,} / {probes.N_TEST:,}"
    return [
        f"## Probes, `minilm`, WikiText-2 with silver trees, {n} sentences: UAS by seed",
        "",
        "| probe | UAS |",
        "|---|---|",
        *(
            f"| {name} | {', '.join(f'{100 * uas:.1f}' for uas in seeds)} |"
            for name, seeds in found
        ),
        "",
    ]


def machine() -> str:
    """What it ran on."""
    import os

    import torch

    libraries = ", ".join(f"{name} {version(name)}" for name in ("torch", "transformers", "numpy"))
    return (
        f"{os.cpu_count()} cores ({_processor()}), {torch.get_num_threads()} thread, "
        f"Python {platform.python_version()}, {libraries}. The machine is shared and noisy: only "
        "ratios within one run mean anything."
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
