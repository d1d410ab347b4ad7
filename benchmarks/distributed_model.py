"""What collectives cost on N ranks: algorithms run message by message, times from the costs of a message and a byte.

    python benchmarks/distributed_model.py                          # the table of docs/distributed.md
    python benchmarks/distributed_model.py --measure --ranks 2      # the costs of this machine, from two ranks

An algorithm is run on N ranks round by round: which rank sends what to whom. What has arrived where is followed, so
one that leaves a rank without its result is refused, and messages and bytes are counted, not derived. `Network.seconds`
adds up the rounds: a round takes what its busiest rank takes. Left out: messages that share a link, and ranks that
don't come at the same time; so the times are bounds from below.

The algorithms are those of R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
operations in MPICH", International Journal of High Performance Computing Applications 19 (2005).
"""
import argparse
import math
import sys
import time
from collections import namedtuple

Message = namedtuple("Message", "source target size")       # size in bytes

NOTE, FEW = 512, 32         # of plugins/cygrad_mpi/group.py
HASH = 16


# ---------------------------------------------------------------------- the algorithms, as rounds of messages

def doubling(ranks, size):
    """`all_reduce` of a short tensor: in each round everybody swaps all he has with somebody twice as far away."""
    rounds, have = [], [{rank} for rank in range(ranks)]
    low = 1 << (ranks.bit_length() - 1)         # the largest power of two; the rest hand over first, and get it last
    if low < ranks:
        rounds.append([Message(rank, rank - low, size) for rank in range(low, ranks)])
        for rank in range(low, ranks):
            have[rank - low] |= have[rank]
    step = 1
    while step < low:
        rounds.append([Message(rank, rank ^ step, size) for rank in range(low)])
        have[:low] = [have[rank] | have[rank ^ step] for rank in range(low)]
        step *= 2
    if low < ranks:
        rounds.append([Message(rank - low, rank, size) for rank in range(low, ranks)])
        have[low:] = have[:ranks - low]
    complete(have, ranks)
    return rounds


def ring_reduce_scatter(ranks, size):
    """Each rank passes the part it has just added to on to the next one; size is that of the whole."""
    part, rounds = size / ranks, []
    have = [[{rank} for _ in range(ranks)] for rank in range(ranks)]       # have[rank][part]: whose values are in it
    for turn in range(ranks - 1):
        rounds.append([Message(rank, (rank + 1) % ranks, part) for rank in range(ranks)])
        parts = [(rank - turn) % ranks for rank in range(ranks)]
        moved = [have[rank][number] for rank, number in enumerate(parts)]
        for rank, (number, values) in enumerate(zip(parts, moved)):
            have[(rank + 1) % ranks][number] |= values
    complete([have[rank][(rank + 1) % ranks] for rank in range(ranks)], ranks)
    return rounds


def ring_all_gather(ranks, size):
    """Each rank passes on what it has just got; size is that of the whole."""
    rounds, have = [], [{rank} for rank in range(ranks)]
    for turn in range(ranks - 1):
        rounds.append([Message(rank, (rank + 1) % ranks, size / ranks) for rank in range(ranks)])
        for rank in range(ranks):
            have[rank].add((rank - 1 - turn) % ranks)
    complete(have, ranks)
    return rounds


def ring(ranks, size):
    """`all_reduce` of a long tensor: the parts are reduced around the ring, and go around once more."""
    return ring_reduce_scatter(ranks, size) + ring_all_gather(ranks, size)


def tree(ranks, size):
    """`broadcast` from rank 0: in each round all who have it send it to one who hasn't."""
    rounds, have, step = [], [{0}] + [set() for _ in range(ranks - 1)], 1
    while step < ranks:
        now = [Message(rank, rank + step, size) for rank in range(step) if rank + step < ranks]
        for message in now:
            have[message.target] = set(have[message.source])
        rounds.append(now)
        step *= 2
    complete(have, 1)
    return rounds


def notes(ranks, size=NOTE):
    """What ranks tell each other before each collective: each tells each other one, all at once; of many ranks, hashes
    are compared."""
    if ranks > FEW:
        return doubling(ranks, HASH)
    return [[Message(rank, other, size) for rank in range(ranks) for other in range(ranks) if other != rank]]


def complete(have, count):
    """Refuse an algorithm after which a rank lacks something."""
    if any(len(each) != count for each in have):
        raise AssertionError("a rank has not got everything")


ALGORITHMS = {each.__name__: each for each in (doubling, ring, ring_reduce_scatter, ring_all_gather, tree, notes)}


def formula(name, ranks, size):
    """(rounds, bytes of the rank that sends most), as the table in docs/distributed.md says; N a power of two."""
    log = int(math.log2(ranks))
    part = size * (ranks - 1) / ranks
    return {"doubling": (log, log * size), "ring": (2 * (ranks - 1), 2 * part), "tree": (log, log * size),
            "ring_reduce_scatter": (ranks - 1, part), "ring_all_gather": (ranks - 1, part),
            "notes": (1, (ranks - 1) * NOTE) if ranks <= FEW else (log, log * HASH)}[name]


def sent_by_busiest(rounds):
    """Bytes of the rank that sends most."""
    sent = {}
    for messages in rounds:
        for message in messages:
            sent[message.source] = sent.get(message.source, 0) + message.size
    return max(sent.values(), default=0)


# ---------------------------------------------------------------------- times

class Network:
    """
    What messages cost.

    Parameters
    ----------
    name : str
    latency : float
        Seconds from a send to its arrival.
    per_byte : float
        Seconds that a byte more takes.
    overhead : float
        Seconds for which a message keeps its sender, and its receiver, busy.
    source : str
        Of the figures.
    """

    def __init__(self, name, latency, per_byte, overhead, source):
        self.name, self.latency, self.per_byte, self.overhead, self.source = name, latency, per_byte, overhead, source

    def seconds(self, rounds):
        """How long these rounds take, one after the other."""
        total = 0.0
        for messages in rounds:
            busy = {}
            for message in messages:
                for rank in ("out", message.source), ("in", message.target):
                    busy[rank] = busy.get(rank, 0.0) + self.overhead + message.size * self.per_byte
            total += self.latency + max(busy.values(), default=0.0)
        return total


def symmetric_seconds(network, name, ranks, size):
    """As `Network.seconds`, of algorithms in whose rounds all ranks do the same: for many ranks, where running them
    takes long. The test compares both."""
    rounds, sent = formula(name, ranks, size)
    if name == "notes" and ranks <= FEW:
        return network.latency + (ranks - 1) * network.overhead + sent * network.per_byte
    return rounds * (network.latency + network.overhead) + sent * network.per_byte


NETWORKS = [
    Network("Slingshot, 200 Gb/s", 1.9e-6, 1 / 25e9, 0.5e-6,
            "D. De Sensi et al., An in-depth analysis of the Slingshot interconnect, SC20: NICs of 100 and ports of "
            "200 Gb/s, some 2 us between ranks"),
    Network("Ethernet, 40 Gb/s, usNIC", 1.93e-6, 8 / 37.23e9, 0.5e-6,
            "J. Squyres, MPI over 40Gb Ethernet, Cisco's blog: 1.93 us, 37.23 Gb/s"),
    Network("InfiniBand NDR, 400 Gb/s", 1.5e-6, 1 / 50e9, 0.5e-6,
            "the port's rate: ConnectX-7 user manual; the latency is assumed"),
]

# What this library adds to MPI, of each collective: see --measure. Seconds, on a machine of two processors.
CALL = 40e-6            # Python around a collective
PER_RANK = 0.15e-6      # to look at one rank's note


def all_reduce_seconds(network, ranks, size):
    """Of the library: the notes, then the faster of MPI's algorithms."""
    compared = symmetric_seconds(network, "notes", ranks, NOTE) + (ranks * PER_RANK if ranks <= FEW else 0.0)
    moved = min(symmetric_seconds(network, name, ranks, size) for name in ("doubling", "ring"))
    return CALL + compared + (0.0 if size <= 256 and ranks <= FEW else moved)


def table(sizes=(4, 2 ** 20, 25 * 2 ** 20, 400 * 2 ** 20), counts=(8, 64, 512, 4096)):
    """The rows as Markdown."""
    for network in NETWORKS:
        costs = f"{network.latency * 1e6:g} us, {1e-9 / network.per_byte:.1f} GB/s"
        print(f"\n{network.name}: {costs} ({network.source})\n")
        print("| all_reduce |" + "".join(f" {count} ranks |" for count in counts))
        print("|---|" + "---|" * len(counts))
        for size in sizes:
            text = f"{size} B" if size < 1024 else f"{size // 2 ** 20} MiB"
            times = [all_reduce_seconds(network, count, size) for count in counts]
            print(f"| {text} |" + "".join(f" {seconds * 1e6:.0f} us |" if seconds < 1e-2 else
                                          f" {seconds * 1e3:.0f} ms |" for seconds in times))


# ---------------------------------------------------------------------- this machine's costs

def measured(ranks):
    """Print latency and bandwidth between ranks here, and what a collective costs beside them."""
    import statistics

    import cygrad
    import cygrad.distributed as dist
    dist.init_process_group("gloo")
    rank = dist.get_rank()

    def median(call, count):
        call()
        times = []
        for _ in range(count):
            dist.barrier()
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    def there_and_back(values):
        if rank == 0:
            dist.send(values, 1)
            dist.recv(values, 1)
        elif rank == 1:
            dist.recv(values, 0)
            dist.send(values, 0)

    short, long = cygrad.ones(1), cygrad.ones(4 * 2 ** 20)
    message = median(lambda: there_and_back(short), 400) / 2
    transfer = median(lambda: there_and_back(long), 12) / 2
    notes_alone = median(dist.barrier, 400)
    if rank == 0:
        byte = (transfer - message) / long.numel() / long.element_size()
        print(f"{ranks} ranks: a message {message * 1e6:.1f} us, a byte {byte * 1e9:.3f} ns, a barrier (the notes "
              f"alone) {notes_alone * 1e6:.1f} us")
    dist.destroy_process_group()


def main():
    """Print the table, or, with --measure, this machine's costs."""
    made = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    made.add_argument("--measure", action="store_true")
    made.add_argument("--ranks", type=int, default=2)
    options = made.parse_args()
    if not options.measure:
        table()
        return 0
    from cygrad.distributed import environment, run
    if environment.launched() is None:
        return run.main(["--nproc-per-node", str(options.ranks), __file__, "--measure", "--ranks", str(options.ranks)])
    measured(options.ranks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
