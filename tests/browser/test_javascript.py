"""Unit tests of view.js, in the node that Playwright brings, on data that Python packed."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import playwright
import pytest

from bertattn.views import HeadView
from bertattn.views.attention import _two_digits
from bertattn.views.packing import pack, weights
from tests.browser import planted
from tests.conftest import ROOT

NODE = Path(playwright.__file__).parent / "driver" / "node"
SCRIPT = ROOT / "tests" / "browser" / "view.test.mjs"
VIEW = ROOT / "bertattn" / "views" / "view.js"


def packed():
    """A view's own data, and what Python makes of every code."""
    view = HeadView(planted.attention())
    codes = np.frombuffer(view.maps, dtype=np.uint8)
    every_weight = weights(np.arange(191, dtype=np.uint8))
    return {
        "packed": pack(view.data, view.maps),
        "data": view.data,
        "codes": codes.tolist(),
        "weights": every_weight.tolist(),
        "printed": [_two_digits(weight) for weight in every_weight.tolist()],
        "heads": list(heads(view.data, codes)),
    }


def heads(data, codes):
    """Each head's codes, cut out by the plainest arithmetic."""
    begin = 0
    for number, level in enumerate(data["levels"]):
        for layer in data["layers"]:
            for attn_head in data["heads"]:
                end = begin + level["n"] ** 2
                own = codes[begin:end].tolist()
                yield {"level": number, "layer": layer, "attnHead": attn_head, "codes": own}
                begin = end
    assert begin == len(codes)


@pytest.fixture
def node(tmp_path):
    file = tmp_path / "packed.json"
    file.write_text(json.dumps(packed()), encoding="utf-8")

    def run(script):
        return subprocess.run(
            [NODE, "--test", "--test-reporter=tap", script],
            env={**os.environ, "BERTATTN_PACKED": str(file)},
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run


def test_the_script_does_as_python_does(node):
    done = node(SCRIPT)
    assert done.returncode == 0, done.stdout
    assert "# fail 0" in done.stdout
    n_tests = SCRIPT.read_text().count('\ntest("')
    assert f"# pass {n_tests}" in done.stdout
    assert n_tests > 0


def test_a_fault_in_the_script_would_be_seen(node, tmp_path):
    for folder in ("bertattn/views", "tests/browser"):
        (tmp_path / folder).mkdir(parents=True)
    wrong = VIEW.read_text().replace("code / 1000", "code / 1001")
    (tmp_path / "bertattn" / "views" / "view.js").write_text(wrong)
    copy = tmp_path / "tests" / "browser" / SCRIPT.name
    copy.write_text(SCRIPT.read_text())
    done = node(copy)
    assert done.returncode != 0
    assert "not ok" in done.stdout


def test_the_script_is_readable():
    lines = VIEW.read_text().splitlines()
    assert len(lines) <= 600
    assert max(map(len, lines)) <= 160
