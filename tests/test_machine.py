"""Memory that is freed stays with the process, where the allocator can be told so."""

import os
import platform
import subprocess
import sys

import pytest

from bertattn import machine

FAULTS = """
import resource, sys
import numpy as np
from bertattn.machine import keep_freed_memory
if sys.argv[1] == "kept":
    assert keep_freed_memory()
for turn in range(20):
    if turn == 10:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    blocks = [np.ones(3 << 20, np.uint8) for _ in range(5)]
    del blocks
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(how):
    env = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    command = [sys.executable, "-c", FAULTS, how]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another allocator")
def test_freed_memory_is_not_mapped_anew():
    assert faults("kept") < 100
    assert faults("as it is") > 10_000


def test_what_the_user_said_of_the_allocator_stands(monkeypatch):
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1")
    assert not machine.keep_freed_memory()


def test_another_allocator_is_left_alone(monkeypatch):
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    assert not machine.keep_freed_memory()
