"""Probes trained, tested and held against their controls: what Table 3 is made of."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from torch import nn

from bertattn.model import AttentionModel
from bertattn.probes.baselines import best_offset, control_targets, fixed_offset, right_branching
from bertattn.probes.data import ProbeData
from bertattn.probes.maps import Centred, Uniform, word_maps
from bertattn.probes.networks import AttentionAndWords, AttentionOnly, WordsAndDistances
from bertattn.probes.predictions import Counts, Prediction, count, predict
from bertattn.probes.store import temporary_folder
from bertattn.probes.structural import predict_structural, states, train_structural
from bertattn.probes.threads import N_THREADS, side_by_side
from bertattn.probes.training import Trained, search, train

Make = Callable[[ProbeData], nn.Module]
LEARNING_RATES: dict[Any, float] = {
    AttentionOnly: 0.1,
    AttentionAndWords: 0.01,
    WordsAndDistances: 0.01,
}
SEARCHED_FLAT = (0.01, 0.1)
SEARCHED = (0.002, 0.01)


@dataclass(frozen=True, eq=False)
class Run:
    """One training and what it came to on the test part.

    Attributes:
        counts: Right and all.
        predictions: Of the test part's sentences, in its order.
        trained: The probe; None for what is not trained.
    """

    counts: Counts
    predictions: list[Prediction]
    trained: Trained | None = None


@dataclass(frozen=True, eq=False)
class Result:
    """A probe or baseline with all its runs.

    Attributes:
        name: What tables call it.
        runs: One for each seed.
        control: The same probe on the control task, if it was trained on it.
        directed: Whether it names governors, not only edges.
        trees: Whether it has trees.
        note: What else a reader must know, such as the layer of a structural probe.
    """

    name: str
    runs: tuple[Run, ...]
    control: Run | None = None
    directed: bool = True
    trees: bool = True
    note: str = ""

    def __str__(self) -> str:
        return self.name


def evaluated(
    name: str,
    make: Make,
    data: ProbeData,
    *,
    seeds: Sequence[int] = (0,),
    learning_rate: float | None = None,
    control: bool = False,
    **options: Any,
) -> Result:
    """Train a probe with each seed and test it, two trainings at a time.

    Args:
        name: What tables call it.
        make: The probe's class.
        data: The sentences.
        seeds: Of first weights and the order of batches.
        learning_rate: Adam's; by default the probe's own in ``LEARNING_RATES``.
        control: Whether to train it on the control task of Hewitt and Liang 2019 too.
        **options: As ``train`` takes them.

    Raises:
        ValueError: If there is no learning rate for such a probe, or no seed.
    """
    rate = LEARNING_RATES.get(make) if learning_rate is None else learning_rate
    if rate is None or not seeds:
        raise ValueError(f"{name}: wanted a learning rate and at least one seed")
    tasks = [dict(options) for _ in seeds]
    if control:
        targets = control_targets(data.inputs, seeds[0])
        tasks.append(options | {"targets": targets, "allow_self": True})

    def run(seed: int, task: dict[str, Any]) -> Run:
        return _tested(train(make, data, learning_rate=rate, seed=seed, **task), data, task)

    runs = side_by_side(run, [*seeds, seeds[0]][: len(tasks)], tasks)
    return Result(name, tuple(runs[: len(seeds)]), runs[-1] if control else None)


def _tested(trained: Trained, data: ProbeData, options: dict[str, Any]) -> Run:
    """A probe on the test part, by the same targets, candidates and device as in training."""
    same = {key: options[key] for key in ("targets", "allow_self", "device") if key in options}
    predictions = predict(trained.probe, data, data.parts.test, **same)
    return Run(count(data, predictions, same.get("targets")), predictions, trained)


def baselines(data: ProbeData) -> list[Result]:
    """Right-branching, and the fixed offset that is right most often in the training part."""
    test, offset = data.parts.test, best_offset(data)
    chain, fixed = right_branching(data, test), fixed_offset(data, test, offset)
    return [
        Result("right-branching", (Run(count(data, chain), chain),)),
        Result("best offset", (Run(count(data, fixed), fixed),), trees=False, note=f"{offset:+d}"),
    ]


def uniform(
    data: ProbeData, *, learning_rates: Sequence[float] = SEARCHED_FLAT, **options: Any
) -> Result:
    """Attention and words where attention is the same everywhere: what words do by themselves.

    Args:
        data: The sentences.
        learning_rates: Those to try, on the development part.
        **options: As ``train`` takes them.
    """
    flat = replace(data, maps=Uniform(data.inputs))
    found = search(AttentionAndWords, flat, learning_rates, **options)
    return Result("uniform attention and words", (_tested(found, flat, options),))


def random_init(
    models: Iterable[AttentionModel],
    data: ProbeData,
    *,
    learning_rates: Sequence[float] = SEARCHED,
    **options: Any,
) -> Result:
    """Attention and words over models whose layers are random (Clark et al. 2019, section 5).

    Their attention is nearly uniform. To give them their best chance a probe reads what differs
    from that (``Centred``), which is learned more easily, and its learning rate is searched for
    with the first model, on the development part. Their maps are not kept. Models are taken two at
    a time.

    Args:
        models: Models with word and position embeddings kept and the rest random, one a seed
            (``bertattn.model.random_init``).
        data: The sentences.
        learning_rates: Those to try.
        **options: As ``train`` takes them.

    Raises:
        ValueError: If there is no model.
    """
    rate: Future[float] = Future()

    def run(seed: int, model: AttentionModel) -> Run:
        with _failing(rate), temporary_folder() as folder:
            own = replace(data, maps=Centred(word_maps(model, data.inputs, folder=folder)))
            rates = [rate.result()] if seed else learning_rates
            chosen = search(AttentionAndWords, own, rates, seed=seed, **options)
            if not seed:
                rate.set_result(chosen.learning_rate)
            return _tested(chosen, own, options)

    with ThreadPoolExecutor(N_THREADS) as pool:
        waiting = [pool.submit(run, seed, model) for seed, model in enumerate(models)]
        runs = tuple(one.result() for one in waiting)
    if not runs:
        raise ValueError("wanted at least one model with random layers, got none")
    return Result("random-init attention and words", runs)


@contextmanager
def _failing(found: "Future[float]") -> Iterator[None]:
    """Whatever goes wrong goes wrong for those who wait, too."""
    try:
        yield
    except BaseException as error:
        if not found.done():
            found.set_exception(error)
        raise


def structural(model: AttentionModel, data: ProbeData, **options: Any) -> Result:
    """The structural probe of Hewitt and Manning 2019 on the same sentences.

    Args:
        model: The model whose hidden states it reads.
        data: The sentences.
        **options: As ``train_structural`` takes them.
    """
    hidden = states(model, data.inputs)
    probe = train_structural(data, hidden, **options)
    found = predict_structural(probe, data, hidden, data.parts.test)
    note = f"layer {probe.layer}" if probe.layer else "embeddings"
    return Result("structural probe", (Run(count(data, found), found),), directed=False, note=note)


def settings(data: ProbeData, results: Sequence[Result]) -> dict[str, Any]:
    """What the numbers of a table of probes depend on besides model and corpus, for a manifest.

    The vectors, how many sentences each part has and a hash of which, epochs and seeds of trained
    probes, and their learning rates.
    """
    trained = [r.runs[0].trained for r in results if r.runs[0].trained is not None]
    which = hashlib.sha256(repr(data.parts).encode()).hexdigest()
    return {
        "vectors": data.vectors.name,
        "vectors_sha256": data.vectors.sha256[:6],
        "parts": "/".join(str(len(part)) for part in data.parts),
        "split": which[:6],
        "epochs": max((len(t.history) for t in trained), default=0),
        "seeds": max((len(r.runs) for r in results), default=0),
        "rates": "/".join(f"{t.learning_rate:g}" for t in trained),
    }
