"""Partitions on Dask's workers: the numbers of one process, whatever becomes of a worker."""

import logging
import os
import signal
import subprocess
import sys
import time

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster
from tqdm import tqdm
from transformers import BertModel

from bertattn import measure
from bertattn.measure import there, workers
from bertattn.measure.checkpoint import code_of
from bertattn.measure.partitions import Sizes
from bertattn.measure.there import Job, measured_there, packed, unpacked
from bertattn.model import AttentionModel, ModelError, load
from bertattn.model.sending import as_bytes, from_bytes
from bertattn.segments import Segments
from bertattn.surface import SurfaceSums
from tests import tiny
from tests.conftest import ROOT
from tests.standin import Seen, StandIn, tokens

INPUTS = [tokens(number) for number in range(24)]
CUT = {"window_pieces": 16, "patience": 30.0}  # two inputs a partition
DASK = {
    "distributed.scheduler.allowed-failures": 1,
    "distributed.worker.daemon": True,
    "distributed.comm.timeouts.connect": "20s",
}


@pytest.fixture(scope="module")
def two_processes():
    """Two workers on this machine, each a process."""
    with dask.config.set(DASK), workers.local(2, silence_logs=logging.CRITICAL) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture
def in_this_process():
    """A worker of two threads in this process: quick to bring up."""
    with cluster_here(1) as cluster, Client(cluster) as client:
        yield client


def cluster_here(n_workers):
    address = {"dashboard_address": "127.0.0.1:0", "protocol": "inproc://"}
    return LocalCluster(n_workers=n_workers, threads_per_worker=2, processes=False, **address)


def run(client, inputs=INPUTS, model=None, seen=None, **options):
    seen = seen or Seen()
    n = measure.measure(inputs, model or StandIn(), seen, client=client, **{**CUT, **options})
    return n, seen


def plain(**options):
    seen = Seen(**options)
    measure.measure(INPUTS, StandIn(), seen, failures=[], window_pieces=16)
    return seen


def surface(model, inputs, **options):
    sums = SurfaceSums.empty(*model.shape)
    measure.measure(inputs, model, sums, window_pieces=90, **options)
    return sums


def test_two_processes_have_the_numbers_of_one(two_processes, articles, tiny_model):
    inputs = list(Segments(articles * 6, tiny_model.encoder, max_pieces=32))
    one = surface(tiny_model, inputs)
    here = surface(tiny_model, inputs, failures=[])
    there = surface(tiny_model, inputs, client=two_processes, patience=60.0)
    assert np.array_equal(there.counts, one.counts)
    np.testing.assert_allclose(there.sums, one.sums, rtol=1e-9)
    assert there.sums.tobytes() == here.sums.tobytes()  # who is added to whom is fixed


def test_partitions_of_a_lost_worker_run_again(two_processes):
    """One worker is killed while it works; the other, and the one that takes its place, go on."""
    killed = []

    def inputs():
        for one in INPUTS:
            if one.document == 14:
                pid = next(iter(two_processes.run(os.getpid).values()))
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            yield one

    n_inputs, seen = run(two_processes, inputs(), StandIn(seconds=0.1))
    assert len(killed) == 1
    assert n_inputs == len(INPUTS)
    assert (seen.result(), seen.total) == (plain().result(), plain().total)


def test_a_partition_that_kills_its_workers_is_told_and_the_rest_is_finished(two_processes):
    failures = []
    n_inputs, seen = run(two_processes, seen=Seen(deadly=(13,)), failures=failures)
    assert n_inputs == len(INPUTS) - 2
    assert seen.result() == [n for n in range(24) if n not in (12, 13)]
    assert [f.n_inputs for f in failures] == [2]
    place = "partition 6 (inputs 12 to 13, from document 12 to document 13): KilledWorker: "
    assert str(failures[0]).startswith(place)


def test_a_partition_that_fails_is_told_and_tried_again_alone(in_this_process, tmp_path):
    poisoned = Seen(poison=(5,))
    with pytest.raises(measure.PartitionError) as caught:
        run(in_this_process, seen=poisoned, checkpoint=tmp_path)
    assert str(caught.value) == (
        "1 partition failed each time: partition 2 (inputs 4 to 5, from document 4 to document 5): "
        "ArithmeticError: document 5 is poison. The other 22 inputs are measured and kept in "
        f"{tmp_path}: run again to try the failed ones alone, or give failures=[] to have the sums "
        "without them"
    )
    assert poisoned.documents == []
    failures = []
    n_inputs, seen = run(
        in_this_process, seen=Seen(poison=(5,)), checkpoint=tmp_path, failures=failures
    )
    assert n_inputs == 22
    assert len(failures) == 1
    assert seen.result() == [n for n in range(24) if n not in (4, 5)]


def test_without_a_checkpoint_it_says_that_sums_are_dropped(in_this_process):
    dropped = "The other 22 inputs were measured, and their sums are dropped: give failures="
    with pytest.raises(measure.PartitionError, match=dropped):
        run(in_this_process, seen=Seen(poison=(5,)))


def test_workers_go_on_where_one_process_stopped(in_this_process, tmp_path):
    def until(n):
        yield from INPUTS[:n]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(None, until(14), checkpoint=tmp_path)
    n_inputs, seen = run(in_this_process, model=StandIn(seconds=0.01), checkpoint=tmp_path)
    assert n_inputs == len(INPUTS)
    assert (seen.result(), seen.total) == (plain().result(), plain().total)


def test_only_so_many_partitions_are_out_at_a_time(in_this_process):
    """Two threads have two partitions each; one more may be in the making."""
    ahead = []

    def inputs():
        for number in range(200):
            ahead.append(number - bar.n)
            yield tokens(number)

    with pytest.MonkeyPatch.context() as patch:
        bar = Bar()
        patch.setattr("bertattn.measure.runs.progress", lambda total: bar)
        run(in_this_process, inputs())
    assert bar.n == 200
    assert max(ahead) <= 2 * (workers.AHEAD * 2 + 1)


class Bar(tqdm):
    """Counts, and shows nothing."""

    def __init__(self):
        super().__init__(disable=True)
        self.n = 0

    def update(self, n=1):
        self.n += n


def test_a_scheduler_without_workers_is_told():
    with (
        cluster_here(0) as cluster,
        Client(cluster) as client,
        pytest.raises(measure.WorkerError, match="has had no worker for 2 seconds; start some"),
    ):
        run(client, patience=2.0)


def test_workers_that_come_late_are_waited_for():
    with (
        cluster_here(0) as cluster,
        Client(cluster) as client,
    ):

        def inputs():
            yield from INPUTS[:3]
            cluster.scale(1)
            yield from INPUTS[3:]

        assert run(client, inputs())[1].result() == plain().result()


def test_a_scheduler_that_goes_away_is_told_and_the_checkpoint_stays(tmp_path):
    file = tmp_path / "scheduler.json"
    command = ["-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    process = subprocess.Popen(
        [sys.executable, *command, "--host", "127.0.0.1", "--scheduler-file", str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    kept = tmp_path / "kept"
    failures = []
    run(None, seen=Seen(poison=(23,)), checkpoint=kept, failures=failures)
    assert len(failures) == 1
    try:
        wait_for(file)
        with dask.config.set({"distributed.comm.timeouts.connect": "2s"}):
            client = Client(scheduler_file=str(file), timeout=20)

            def inputs():
                yield from INPUTS
                process.kill()

            with pytest.raises(measure.WorkerError, match="went away, or dropped this run's work"):
                run(client, inputs(), seen=Seen(poison=(23,)), checkpoint=kept)
            client.close(timeout=1)
    finally:
        process.kill()
        process.wait(20)
    assert run(None, seen=Seen(poison=(23,)), checkpoint=kept, failures=[])[0] == 22


@pytest.fixture(autouse=True)
def nothing_loaded_here():
    there._LOADED.clear()


def wait_for(path, seconds=40):
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not come"
        time.sleep(0.1)


def test_a_worker_with_another_model_is_told(in_this_process):
    with pytest.raises(measure.WorkerError, match="loaded another model: wanted model weights 000"):
        run(in_this_process, model=StandIn(seed=0, recipe_seed=1))


def job(model, **changes):
    parts = {
        "key": f"key-{time.monotonic()}",
        "recipe": model.recipe,
        "identity": measure.checkpoint.identity(model),
        "code": code_of((Seen(),)),
        "empties": (Seen(),),
        "sizes": Sizes(512, 16, 1),
    }
    return packed(Job(**{**parts, **changes}))


def test_a_worker_with_other_code_is_told():
    with pytest.raises(measure.WorkerError, match=r"runs other code of bertattn \(.*, wanted abc"):
        measured_there(packed((tokens(1),)), job(StandIn(), code="abc"), None)


def no_model():
    raise ModelError("no such folder here")


def test_a_worker_that_cannot_load_the_model_says_so():
    with pytest.raises(measure.WorkerError, match="cannot load the model: no such folder here Or"):
        measured_there(packed((tokens(1),)), job(StandIn(), recipe=no_model), None)


def test_a_worker_loads_the_model_once_for_all_runs():
    LOADED.clear()
    jobs = [job(StandIn(), recipe=noted), job(StandIn(), recipe=noted)]
    found = [
        measured_there(packed((tokens(number),)), one, None)
        for number, one in enumerate(jobs, start=1)
    ]
    assert [unpacked(sums)[0].documents for sums in found] == [[1], [2]]
    assert len(LOADED) == 1


LOADED = []


def noted():
    LOADED.append(1)
    return StandIn()


def test_a_model_is_loaded_by_its_folder_in_another_working_folder(tmp_path, monkeypatch):
    module, tokenizer = tiny.module("Bert")
    module.save_pretrained(tmp_path / "tiny")
    tokenizer.save_pretrained(tmp_path / "tiny")
    monkeypatch.chdir(tmp_path)
    model = load("tiny", device="cpu", type_ids="zero")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = unpacked(packed(model.recipe))()
    assert measure.checkpoint.identity(again) == measure.checkpoint.identity(model)
    assert again.encoder.type_ids == "zero"


def test_a_model_built_in_memory_is_the_same_when_it_was_sent(tiny_model):
    assert tiny_model.recipe is None
    sent = from_bytes(as_bytes(tiny_model))
    assert measure.checkpoint.identity(sent) == measure.checkpoint.identity(tiny_model)
    text = "the keeper fed the octopus."
    maps = [m.attention(text).weights for m in (sent, tiny_model)]
    assert np.array_equal(*maps)


class Odd(BertModel):
    """Is made from more than a configuration."""

    def __init__(self, config, more):
        super().__init__(config)


def test_a_class_that_cannot_be_made_again_is_told():
    module, tokenizer = tiny.module("Bert")
    odd = AttentionModel(Odd(module.config, 1), tokenizer, "odd", device="cpu")
    with pytest.raises(ModelError, match="Odd cannot be made again from its configuration"):
        from_bytes(as_bytes(odd))


def test_dask_is_imported_only_where_there_is_a_client():
    code = "import sys, bertattn.measure; print({'dask', 'distributed'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.strip() == "set()"
