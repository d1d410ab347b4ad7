"""Collectives and data-parallel steps on several ranks: cygrad over MPI beside PyTorch's gloo, in one run.

    python benchmarks/distributed.py --ranks 2
    python benchmarks/distributed.py --overlap

Both run the same program below, as processes of their own and in turn, round by round; a row is the median over a
round's repetitions, and the best round of each library, since what else the machine does only adds to a time.
"""
import argparse
import functools
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

SIZES = {"4 B": 1, "1 kB": 256, "64 kB": 16_384, "1 MB": 262_144, "16 MB": 4_194_304, "64 MB": 16_777_216}
PORT = 29_653


# ---------------------------------------------------------------------- what each rank runs

def repeat(call, dist, seconds):
    """The median time of a call, over about so many seconds; all ranks make as many calls."""
    for _ in range(3):          # the first loads kernels, on one rank sooner than on another
        call()
    dist.barrier()
    start = time.perf_counter()
    call()
    count = [max(3, min(300, int(seconds / (time.perf_counter() - start + 1e-9))))]
    dist.broadcast_object_list(count, src=0)
    times = []
    for _ in range(count[0]):
        dist.barrier()
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def models(torch):
    """{name: (model, inputs, targets)} of the steps."""
    nn = torch.nn
    torch.manual_seed(0)
    mlp = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    cnn = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3), nn.ReLU(),
                        nn.Flatten(), nn.Linear(32 * 121, 10))
    layer = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
    transformer = nn.Sequential(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Flatten(),
                                nn.Linear(128 * 16, 10))
    targets = torch.randint(0, 10, (32,))
    return {"MLP": (mlp, torch.randn(32, 784), targets), "CNN": (cnn, torch.randn(32, 1, 28, 28), targets),
            "transformer": (transformer, torch.randn(32, 16, 128), targets)}


def step_of(torch, model, x, y):
    """A step of training, as a function."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def step():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    return step


def measure(torch, seconds):
    """{row: seconds} on this rank."""
    dist, found = torch.distributed, {}
    for name, count in SIZES.items():
        values = torch.ones(count)
        found[f"all_reduce, {name}"] = repeat(functools.partial(dist.all_reduce, values), dist, seconds)
    for name, (model, x, y) in models(torch).items():
        found[f"{name}, alone"] = repeat(step_of(torch, model, x, y), dist, seconds)
        parallel = torch.nn.parallel.DistributedDataParallel(model)
        found[f"{name}, DDP"] = repeat(step_of(torch, parallel, x, y), dist, seconds)
    return found


def rank_of(library, seconds):
    """The program of one rank."""
    if library == "cygrad":
        import cygrad as torch
    else:
        import torch
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo")
    found = measure(torch, seconds)
    if torch.distributed.get_rank() == 0:
        print("FOUND " + json.dumps(found), flush=True)
    torch.distributed.destroy_process_group()


# ---------------------------------------------------------------------- overlap

def overlap(rate=0.5e9, steps=9):
    """Print the time of a backward pass whose buckets travel over a link of so many bytes a second: while the pass goes
    on, and without that. The link is a clock, one bucket after the other, so that it takes no processor."""
    import threading

    import cygrad
    import cygrad.distributed as dist
    from cygrad.futures import Future
    cygrad.set_num_threads(1)
    dist.init_process_group("gloo", rank=0, world_size=1)
    nn = cygrad.nn
    layers = [layer for _ in range(8) for layer in (nn.Linear(768, 768), nn.ReLU())]
    x = cygrad.randn(256, 768)
    free_from = [0.0]

    def link(ahead):
        def hook(_, bucket):
            buffer, future = bucket.buffer(), Future()
            now = time.perf_counter()
            free_from[0] = max(now, free_from[0]) + buffer.numel() * buffer.element_size() / rate
            if ahead:
                threading.Timer(free_from[0] - now, future.set_result, (buffer,)).start()
            else:
                time.sleep(free_from[0] - now)
                future.set_result(buffer)
            return future
        return hook

    found = {}
    for name, hook in (("alone", lambda _, bucket: at_once(Future(), bucket)), ("ahead", link(True)),
                       ("in turn", link(False))):
        model = nn.parallel.DistributedDataParallel(nn.Sequential(*layers), bucket_cap_mb=2)
        model.register_comm_hook(None, hook)
        times = []
        for _ in range(steps):
            loss = model(x).sum()
            start = time.perf_counter()
            loss.backward()
            times.append(time.perf_counter() - start)
        found[name] = statistics.median(times)
        for parameter in model.parameters():
            parameter.grad = None
        for handle in model.reducer.handles:
            handle.remove()
    travel = sum(p.numel() * p.element_size() for p in model.parameters()) / rate
    print(f"backward pass {found['alone'] * 1e3:.1f} ms, its gradients on the link {travel * 1e3:.1f} ms; together: "
          f"{found['ahead'] * 1e3:.1f} ms, one after the other {found['in turn'] * 1e3:.1f} ms")
    dist.destroy_process_group()


def at_once(future, bucket):
    """A link that takes no time."""
    future.set_result(bucket.buffer())
    return future


# ---------------------------------------------------------------------- both libraries in turn

def one_round(library, ranks, seconds, port):
    """{row: seconds} of one library's run."""
    arguments = [str(Path(__file__).resolve()), "--library", library, "--seconds", str(seconds)]
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    if library == "cygrad":
        command = [sys.executable, "-m", "cygrad.distributed.run", "--nproc-per-node", str(ranks), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=1000)
        text = done.stdout
    else:
        environment.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), WORLD_SIZE=str(ranks))
        started = [subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True,
                                    env=dict(environment, RANK=str(rank))) for rank in range(ranks)]
        text = "".join(process.communicate(timeout=1000)[0] for process in started)
    line = next(line for line in text.split("\n") if line.startswith("FOUND "))
    return json.loads(line[6:])


def table(best):
    """The rows as Markdown."""
    print("| | cygrad, MPI | PyTorch, gloo | PyTorch / cygrad |\n|---|---|---|---|")
    for row in best["cygrad"]:
        ours, theirs = best["cygrad"][row], best["torch"][row]
        print(f"| {row} | {ours * 1e6:.0f} us | {theirs * 1e6:.0f} us | {theirs / ours:.1f} |")


def main():
    """Run the rounds, or, with --library, one rank."""
    made = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    made.add_argument("--ranks", type=int, default=2)
    made.add_argument("--rounds", type=int, default=3)
    made.add_argument("--seconds", type=float, default=0.5, help="for each row of a round")
    made.add_argument("--library", choices=["cygrad", "torch"], help="be a rank of this library's run")
    made.add_argument("--overlap", action="store_true", help="show what is gained by sending during the backward pass")
    options = made.parse_args()
    if options.overlap:
        overlap()
        return
    if options.library:
        rank_of(options.library, options.seconds)
        return
    best = {"cygrad": {}, "torch": {}}
    for number in range(options.rounds):
        for library in best:
            for row, seconds in one_round(library, options.ranks, options.seconds, PORT + number).items():
                best[library][row] = min(seconds, best[library].get(row, seconds))
    table(best)


if __name__ == "__main__":
    main()
