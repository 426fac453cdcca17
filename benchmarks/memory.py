"""Peak memory of a run, in a process of its own for each number of segments.

``python -m benchmarks.memory 200`` prints how far the process's peak lies above what it
held once the model was loaded, in MiB.
"""

import itertools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil

from bertattn import corpora, measure
from bertattn.attention import Tokens
from bertattn.machine import peak_bytes
from bertattn.model import load
from bertattn.segments import Segments
from bertattn.surface import SurfaceSums

SIZES = (200, 2000, 10_000)


def peaks() -> dict[int, float]:
    """MiB above the loaded model for each of ``SIZES``."""
    return {
        size: float(
            subprocess.run(
                [sys.executable, "-m", "benchmarks.memory", str(size)],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        for size in SIZES
    }


def main(size: int) -> None:
    """Measure one number of segments, the sample gone through as often as it takes."""
    model = load("minilm", device="cpu")
    _ = model.sha256  # reads every weight: until then the file's pages are not in memory
    _forget_peak()
    held = psutil.Process().memory_info().rss
    sums = SurfaceSums.empty(*model.shape)
    segments = itertools.islice(_again_and_again(model.encoder), size)
    n_inputs = measure.measure(segments, model, sums)
    assert n_inputs == size, f"wanted {size} segments, ran {n_inputs}"
    print((peak_bytes() - held) / 2**20)


def _forget_peak() -> None:
    """Have Linux count the peak from here on, so that loading does not hide what follows."""
    record = Path("/proc/self/clear_refs")
    if record.exists():
        record.write_text("5")


def _again_and_again(encoder: object) -> Iterator[Tokens]:
    for seed in itertools.count():
        yield from Segments(corpora.load("sample"), encoder, seed=seed)


if __name__ == "__main__":
    main(int(sys.argv[1]))
