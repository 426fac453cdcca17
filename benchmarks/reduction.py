"""A simulation of many partitions on workers that fail: what the sums come to, what waits for what.

``python -m benchmarks.reduction --partitions 100000 --workers 64 --failing 0.01`` runs the
package's own tree of blocks over partitions that finish in a random order: no model, no network,
and a clock of its own. Each attempt takes a random time around the mean; with the given probability
it fails at a random moment and is made again, as often as the package does. The client makes
partitions one after another, and adds and keeps what comes back.
"""

import argparse
import heapq
import math
import random
from dataclasses import dataclass

from bertattn.measure.adding import Block, Tree
from bertattn.measure.workers import AHEAD, RETRIES

ATTEMPTS = 1 + RETRIES


@dataclass
class Found:
    """What a simulated run came to.

    Attributes:
        seconds: From start to end.
        busy: The share of the workers' time that went into partitions which succeeded.
        wasted: The share that went into attempts which failed.
        client: The share of the time that the client was busy.
        failed: Partitions that failed each time.
        blocks: The most blocks of sums that were held at once.
        out: The most partitions that were out at once.
        exact: Whether counts are those of the partitions that did not fail, and float sums those
            of adding the same blocks in order.
    """

    seconds: float
    busy: float
    wasted: float
    client: float
    failed: int
    blocks: int
    out: int
    exact: bool


def simulate(
    n_partitions: int,
    n_workers: int,
    failing: float,
    seconds: float,
    client_seconds: float,
    seed: int = 0,
    checkpoint: bool = False,
) -> Found:
    """Run partitions through workers, and through the tree that adds them.

    Args:
        n_partitions: How many.
        n_workers: How many.
        failing: The probability that an attempt fails.
        seconds: The mean time of an attempt.
        client_seconds: Of the client for each partition: to make it, add it and keep it.
        seed: Of times and failures.
        checkpoint: Whether the place of a failed partition is left free, for another try.
    """
    rng = random.Random(seed)
    tree, failed = Tree(), []
    free = [0.0] * n_workers
    back: list[tuple[float, int, bool]] = []
    clock, made, blocks, out = 0.0, 0, 0, 0
    good = lost = 0.0
    while made < n_partitions or back:
        while made < n_partitions and len(back) < AHEAD * n_workers:
            clock += client_seconds
            begin = max(clock, heapq.heappop(free))
            taken, wasted, went_well = _attempts(rng, failing, seconds)
            heapq.heappush(free, begin + taken)
            heapq.heappush(back, (begin + taken, made, went_well))
            good, lost = good + (taken - wasted) * went_well, lost + wasted
            made += 1
        out = max(out, len(back))
        end, number, went_well = heapq.heappop(back)
        clock = max(clock, end)
        if went_well:
            tree.add(_block(number))
        else:
            failed.append(number)
            if not checkpoint:
                tree.add(Block(number, ("",), 0, (0, 0.0)))
        blocks = max(blocks, len(tree))
    whole = clock * n_workers
    exact = _exact(tree, n_partitions, set(failed), checkpoint)
    client = n_partitions * client_seconds / clock
    return Found(clock, good / whole, lost / whole, client, len(failed), blocks, out, exact)


def _attempts(rng: random.Random, failing: float, seconds: float) -> tuple[float, float, bool]:
    """Time of all attempts, of those that failed, and whether the last one went well."""
    wasted = 0.0
    for _ in range(ATTEMPTS):
        one = seconds * rng.uniform(0.5, 1.5)
        if rng.random() >= failing:
            return wasted + one, wasted, True
        wasted += one * rng.random()
    return wasted, wasted, False


def _block(number: int) -> Block:
    return Block(number, ("",), 1, (1, math.sqrt(number)))


def _exact(tree: Tree, n_partitions: int, failed: set[int], checkpoint: bool) -> bool:
    """The tree against the same partitions in order: counts exactly, sums bit for bit."""
    nothing = () if checkpoint else (Block(n, ("",), 0, (0, 0.0)) for n in failed)
    in_order = Tree(_block(n) for n in range(n_partitions) if n not in failed)
    for block in nothing:
        in_order.add(block)
    one, other = tree.total(), in_order.total()
    assert one is not None, "something went well"
    assert other is not None, "something went well"
    total = math.fsum(math.sqrt(n) for n in range(n_partitions) if n not in failed)
    close = abs(one.sums[1] - total) <= 1e-9 * total
    return one.sums == other.sums and one.sums[0] == n_partitions - len(failed) and close


def main() -> None:
    """One line for each number of workers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=100_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 16, 64, 256])
    parser.add_argument("--failing", type=float, default=0.01)
    parser.add_argument("--seconds", type=float, default=5.0, help="of a partition on a worker")
    parser.add_argument("--client", type=float, default=0.2, help="seconds of the client for each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checkpoint", action="store_true", help="failed places stay free")
    chosen = parser.parse_args()
    print("| workers | hours | busy | wasted | client busy | failed | blocks | out | exact |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n_workers in chosen.workers:
        found = simulate(
            chosen.partitions,
            n_workers,
            chosen.failing,
            chosen.seconds,
            chosen.client,
            chosen.seed,
            chosen.checkpoint,
        )
        print(
            f"| {n_workers} | {found.seconds / 3600:.1f} | {found.busy:.1%} | {found.wasted:.1%} | "
            f"{found.client:.0%} | {found.failed} | {found.blocks} | {found.out} | {found.exact} |"
        )


if __name__ == "__main__":
    main()
