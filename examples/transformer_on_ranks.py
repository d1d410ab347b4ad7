"""The transformer of `transformer.py` on as many processes as there are: each reads a part of every batch.

    python examples/transformer_on_ranks.py --quick                                                     # in one process
    python -m cygrad.distributed.run --nproc-per-node 2 examples/transformer_on_ranks.py --sharded      # in two

With `--sharded` each process also keeps only its part of the weights and of the optimiser's state, and has those of two
blocks at a time while it computes (`fully_shard`); else all have all of them (`DistributedDataParallel`). The training
is the same in either case and on any number of processes, up to rounding.
"""

import argparse
import time

from running import Progress
from transformer import BATCH, CONTEXT, LEARNING_RATE, QUICK_STEPS, STEPS, make_network, read_text

import cygrad as torch
import cygrad.distributed as dist
from cygrad.distributed import environment
from cygrad.distributed.fsdp import fully_shard
from cygrad.nn.parallel import DistributedDataParallel


def distributed(network, sharded):
    """The network as all processes train it together."""
    if not sharded:
        return DistributedDataParallel(network)
    for block in network.blocks:
        fully_shard(block)
    return fully_shard(network)


def main():
    """Train, and print what rank 0 has to say."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--quick", action="store_true", help="a few steps only")
    parser.add_argument("--sharded", action="store_true", help="divide the weights, too")
    given = parser.parse_args()
    steps = QUICK_STEPS if given.quick else given.steps
    alone = {} if environment.launched() else {"rank": 0, "world_size": 1}
    dist.init_process_group("gloo", **alone)
    rank, size = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)                                    # the same weights and batches on all ranks
    text = read_text()
    alphabet = sorted(set(text))
    codes = torch.tensor([alphabet.index(character) for character in text])
    network = distributed(make_network(torch, len(alphabet)), given.sharded)
    optimizer = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE)
    own = slice(rank * BATCH // size, (rank + 1) * BATCH // size)
    progress = Progress(steps) if rank == 0 else None       # one bar, not one from each rank
    losses, started = [], time.perf_counter()
    for i in range(steps):
        places = torch.randint(len(codes) - CONTEXT, (BATCH, 1)) + torch.arange(CONTEXT + 1)
        batch = codes[places[own]]
        scores = network(batch[:, :-1])
        loss = torch.nn.functional.cross_entropy(scores.flatten(0, 1), batch[:, 1:].flatten(), reduction="sum")
        loss = loss * size / (BATCH * CONTEXT)              # the mean over ranks is that over the whole batch
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        loss = loss.detach()
        dist.all_reduce(loss, dist.ReduceOp.AVG)
        losses.append(loss.item())
        if progress is not None:
            progress.show(i + 1, f"loss {losses[-1]:.3f}")
    weights = sum(p.numel() for p in network.parameters())
    if rank == 0:
        print(f"Loss {losses[0]:.4f} -> {losses[-1]:.4f} on {size} rank{'s' * (size > 1)} in "
              f"{time.perf_counter() - started:.0f} s; {weights} weights on rank 0")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
