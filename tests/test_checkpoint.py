"""A checkpoint: what is finished is kept whole, and never mixed with another run's."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from bertattn import measure
from bertattn.measure import checkpoint
from bertattn.measure.adding import Block
from bertattn.measure.checkpoint import CheckpointError, opened
from bertattn.measure.partitions import Sizes
from bertattn.surface import SurfaceSums
from tests.conftest import ROOT
from tests.standin import Seen, StandIn, tokens

INPUTS = [tokens(number) for number in range(24)]  # eight pieces each
CUT = {"window_pieces": 16}  # two inputs a partition


def run(folder, inputs=INPUTS, model=None, seen=None, **options):
    seen = seen or Seen()
    measure.measure(inputs, model or StandIn(), seen, checkpoint=folder, **{**CUT, **options})
    return seen


def plain():
    seen = Seen()
    measure.measure(INPUTS, StandIn(), seen, failures=[], **CUT)
    return seen


def blocks(folder):
    return sorted(p.name for p in folder.iterdir() if p.name.startswith("block-"))


def in_python(code, folder):
    """Run code with a checkpoint in a process of its own."""
    start = f"""
import os, resource, signal, sys
from pathlib import Path
from bertattn import measure
from tests.standin import Seen, StandIn, tokens
folder = Path({str(folder)!r})
def run(inputs, seen):
    measure.measure(inputs, StandIn(), seen, checkpoint=folder, window_pieces=16)
"""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "BERTATTN_PROGRESS": "0"}
    return subprocess.run(
        [sys.executable, "-c", start + code],
        capture_output=True,
        text=True,
        timeout=60,
        env=env,
        cwd=ROOT,
    )


class StopsError(Exception):
    """The run is stopped by a user."""


def until(n):
    yield from INPUTS[:n]
    raise StopsError


@pytest.mark.parametrize("n", [0, 3, 10, 23])
def test_a_run_that_was_stopped_goes_on_from_what_is_finished(tmp_path, n):
    with pytest.raises(StopsError):
        run(tmp_path, until(n))
    found, wanted = run(tmp_path), plain()
    assert (found.result(), found.total) == (wanted.result(), wanted.total)


def test_what_is_finished_is_not_run_again(tmp_path):
    run(tmp_path)

    class NeverRun(StandIn):
        def run(self, inputs, observers):
            raise AssertionError("it is finished")

    assert run(tmp_path, model=NeverRun()).result() == plain().result()


def test_few_folders_are_kept_however_many_partitions_there_are(tmp_path):
    for n in (2, 10, 22):
        with pytest.raises(StopsError):
            run(tmp_path, until(n))
        assert len(blocks(tmp_path)) == bin(n // 2).count("1")
    run(tmp_path)
    assert blocks(tmp_path) == ["block-000000000-8", "block-000000008-4"]


KILLED_AT = """
calls = 0
def killing(original):
    def wrapped(*arguments, **options):
        global calls
        calls += 1
        if calls == AFTER:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments, **options)
    return wrapped
import shutil
from bertattn.measure import checkpoint
os.fsync, shutil.rmtree = killing(os.fsync), killing(shutil.rmtree)
Path.rename, Path.replace, Path.unlink = map(killing, (Path.rename, Path.replace, Path.unlink))
run([tokens(number) for number in range(24)], Seen())
"""


@pytest.mark.parametrize("after", [1, 4, 9, 20, 21, 22, 23, 24, 25, 26])
def test_a_run_that_is_killed_at_any_moment_goes_on(tmp_path, after):
    """The kill comes before the n-th call that writes, names or removes a file."""
    done = in_python(KILLED_AT.replace("AFTER", str(after)), tmp_path)
    assert done.returncode == -signal.SIGKILL, done.stderr
    found, wanted = run(tmp_path), plain()
    assert (found.result(), found.total) == (wanted.result(), wanted.total)
    assert not list(tmp_path.glob(".making-*"))


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"model": StandIn(seed=1)}, r"another model \(model then: weights 0000.*0, 2 layers of 3"),
        ({"seen": Seen(poison=(99,))}, r"another reducer 0 \(reducer 0 then: Seen\(poison=\(\), "),
        ({"window_pieces": 32}, "another way of cutting the corpus up .*window_pieces=16.*=32"),
        ({"batch_pieces": 99}, "another way of cutting the corpus up .*batch_pieces=512.*=99"),
        ({"partition_size": 2}, "another way of cutting the corpus up .*n_windows=1.*=2"),
    ],
    ids=["model", "options", "windows", "batches", "partitions"],
)
def test_another_run_is_refused_and_what_differs_is_named(tmp_path, changed, named):
    run(tmp_path)
    with pytest.raises(CheckpointError, match=f"is the checkpoint of a run with {named}"):
        run(tmp_path, **changed)
    assert run(tmp_path).result() == plain().result()


def test_other_reducers_are_refused(tmp_path):
    run(tmp_path)
    with pytest.raises(CheckpointError, match=r"another reducer 0 .*now: SurfaceSums"):
        measure.measure(INPUTS, StandIn(), SurfaceSums.empty(2, 3), checkpoint=tmp_path, **CUT)
    with pytest.raises(CheckpointError, match=r"another reducer 1 .*then: none, now: Seen"):
        measure.measure(INPUTS, StandIn(), Seen(), Seen(), checkpoint=tmp_path, **CUT)


def test_other_code_and_other_libraries_are_refused(tmp_path, monkeypatch):
    run(tmp_path)
    monkeypatch.setattr(checkpoint, "code_of", lambda empties: "changed")
    with pytest.raises(CheckpointError, match=r"with another code \(code then: .*, now: changed"):
        run(tmp_path)
    monkeypatch.undo()
    monkeypatch.setattr(checkpoint.importlib.metadata, "version", lambda name: "0.0")
    with pytest.raises(CheckpointError, match=r"another versions .* now: bertattn .*, numpy 0.0"):
        run(tmp_path)


def test_the_code_is_that_of_the_reducers_too(tmp_path, monkeypatch):
    own = checkpoint.code_of((Seen(),))
    surface = checkpoint.code_of((SurfaceSums.empty(2, 3),))
    assert len({own, surface}) == 2
    package = tmp_path / "bertattn"
    shutil.copytree(ROOT / "bertattn", package)
    monkeypatch.setattr(checkpoint.bertattn, "__file__", str(package / "__init__.py"))
    assert checkpoint.code_of((SurfaceSums.empty(2, 3),)) == surface
    for part, changes in (("plots", False), ("surface", True)):
        (package / part / "__init__.py").write_text("x = 1")
        assert (checkpoint.code_of((SurfaceSums.empty(2, 3),)) != surface) == changes


@pytest.mark.parametrize(
    ("inputs", "how"),
    [
        ([*INPUTS[:8], tokens(99), *INPUTS[9:]], r"partition 4 \(inputs 8 to 9, from document 99 "),
        (INPUTS[:10], "it had 12 partitions or more, and this has 5"),
        ([], "it had 12 partitions or more, and this has 0"),
    ],
    ids=["changed", "shorter", "empty"],
)
def test_another_corpus_is_refused(tmp_path, inputs, how):
    run(tmp_path)
    with pytest.raises(CheckpointError, match=f"a run on another corpus: {how}"):
        run(tmp_path, inputs)
    assert run(tmp_path).result() == plain().result()


def test_one_checkpoint_is_for_one_run_at_a_time(tmp_path):
    with (
        opened(tmp_path, StandIn(), (Seen(),), Sizes(512, 16, 1)),
        pytest.raises(CheckpointError, match="is in use by another run; wait for it, or give anot"),
    ):
        run(tmp_path)
    assert run(tmp_path).result() == plain().result()


def test_failed_partitions_are_tried_again_and_no_others(tmp_path):
    class Flaky(StandIn):
        broken, n_run = True, 0

        def run(self, inputs, observers):
            self.n_run += len(inputs)
            if self.broken and any(t.document == 6 for t in inputs):
                raise MemoryError("none left")
            super().run(inputs, observers)

    model = Flaky()
    kept = "The other 22 inputs are measured and kept in .*: run again to try the failed ones alone"
    with pytest.raises(measure.PartitionError, match=kept):
        run(tmp_path, model=model)
    model.broken, model.n_run = False, 0
    assert run(tmp_path, model=model).result() == plain().result()
    assert model.n_run == 2


@pytest.mark.parametrize("name", ["0.npz", "block.json"])
def test_a_damaged_block_is_measured_again(tmp_path, caplog, name):
    run(tmp_path)
    path = tmp_path / "block-000000008-4" / name
    path.write_bytes(path.read_bytes()[:-3])
    assert run(tmp_path).result() == plain().result()
    assert "block-000000008-4 is damaged, and is measured again" in caplog.text
    assert blocks(tmp_path) == ["block-000000000-8", "block-000000008-4"]


def test_a_block_whose_bytes_are_not_those_written_is_found(tmp_path, caplog):
    run(tmp_path)
    path = tmp_path / "block-000000000-8" / "0.npz"
    stored = json.loads(path.read_text())
    path.write_text(json.dumps({**stored, "total": 0.0}))
    assert run(tmp_path).total == plain().total
    assert "is damaged" in caplog.text


def test_what_a_larger_block_covers_is_not_counted_twice(tmp_path):
    run(tmp_path)
    with opened(tmp_path, StandIn(), (Seen(),), Sizes(512, 16, 1)) as kept:
        kept._write(Block(3, ("x",), 2, (Seen(),)))
    assert "block-000000003-1" in blocks(tmp_path)
    assert run(tmp_path).result() == plain().result()
    assert blocks(tmp_path) == ["block-000000000-8", "block-000000008-4"]


def test_blocks_of_nobody_knows_what_are_refused(tmp_path):
    run(tmp_path)
    (tmp_path / "run.json").unlink()
    with pytest.raises(CheckpointError, match=r"holds block-.* and no run.json that says of what"):
        run(tmp_path)


def test_a_full_disk_is_told_and_what_is_finished_stays_whole(tmp_path):
    """A limit on the size of files stands for the disk: the system refuses the same call."""
    code = """
def inputs():
    for number in range(24):
        if number == 10:
            resource.setrlimit(resource.RLIMIT_FSIZE, (60, 60))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        yield tokens(number)
try:
    run(inputs(), Seen())
except measure.CheckpointError as error:
    print(error)
"""
    done = in_python(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "the checkpoint cannot be written: File too large. What was finished" in done.stdout
    assert "make room or give another folder, and run again" in done.stdout
    assert blocks(tmp_path) == ["block-000000000-4", "block-000000004-1"]
    assert not list(tmp_path.glob(".making-*"))
    assert run(tmp_path).result() == plain().result()


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckpointError, match="cannot be written: Not a directory"):
        run(tmp_path / "file" / "folder")


def test_a_folder_that_is_for_reading_only_is_told(tmp_path):
    code = """
folder.chmod(0o555)
for parent in folder.parents[:3]:
    parent.chmod(parent.stat().st_mode | 0o555)
if os.getuid() == 0:
    os.setuid(65534)
try:
    run([tokens(1)], Seen())
except measure.CheckpointError as error:
    print(error)
"""
    done = in_python(code, tmp_path)
    assert "the checkpoint cannot be written: Permission denied." in done.stdout, done.stderr


def test_errors_of_the_corpus_are_not_laid_on_the_disk(tmp_path):
    def unreadable():
        yield from INPUTS[:4]
        raise OSError("the corpus lies on a disk that is gone")

    with pytest.raises(OSError, match="the corpus lies on a disk"):
        run(tmp_path, unreadable())
