"""How long each notebook takes with the default model and the sample."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
BUDGET = 30  # seconds, on two cores
LONGER = {
    "05_syntax_heads": 60,
    "06_coreference": 60,
    "07_probing": 120,
    "08_explore_your_own_text": 60,
    "09_norms_and_rollout": 60,
    "10_ablation": 60,
    "11_models_and_languages": 60,
}


def seconds() -> dict[str, float]:
    """Wall-clock seconds of each notebook, start of the kernel included."""
    taken = {}
    for source in sorted((FOLDER / "src").glob("[0-9]*.py")):
        command = [sys.executable, str(FOLDER / "build.py"), "run", source.stem]
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            subprocess.run([*command, "--to", folder], check=True, capture_output=True)
        taken[source.stem] = time.perf_counter() - begin
    return taken
