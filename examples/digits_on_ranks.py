"""Teach a network to read handwritten digits, on as many processes as there are: each has a part of every batch.

    python examples/digits_on_ranks.py                                                      # in one process
    python -m cygrad.distributed.run --nproc-per-node 2 examples/digits_on_ranks.py         # in two

What `DistributedDataParallel` adds to a training in one process is marked; the batch is the same on any number of
ranks, so the training is, too, up to rounding.
"""

import argparse
import gzip
import time
from pathlib import Path

import cygrad as torch
import cygrad.distributed as dist
from cygrad import nn
from cygrad.distributed import environment
from cygrad.nn.parallel import DistributedDataParallel
from cygrad.utils.data import DataLoader, DistributedSampler, TensorDataset

IMAGES = Path(__file__).parent / "data" / "digits.csv.gz"
BATCH = 48


def load_images():
    """(training set, images and digits for testing): every fifth image is kept aside."""
    with gzip.open(IMAGES, "rt") as lines:
        rows = torch.tensor([[int(number) for number in line.split(",")] for line in lines])
    images, digits, test = rows[:, :64].float() / 16, rows[:, 64], torch.arange(len(rows)) % 5 == 0
    return TensorDataset(images[~test], digits[~test]), images[test], digits[test]


def main():
    """Train, and print what rank 0 has to say."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=8)
    options = parser.parse_args()
    alone = {} if environment.launched() else {"rank": 0, "world_size": 1}
    dist.init_process_group("gloo", **alone)                                    # the ranks meet
    rank, size = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    training, images, digits = load_images()
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))
    model = DistributedDataParallel(model)                                      # averages the gradients
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    sampler = DistributedSampler(training)                                      # this rank's part of the images
    loader = DataLoader(training, batch_size=BATCH // size, sampler=sampler)
    start = time.perf_counter()
    for epoch in range(options.epochs):
        sampler.set_epoch(epoch)                                                # another order in each epoch
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
    if rank == 0:
        right = (model.module(images).argmax(1) == digits).float().mean().item()
        print(f"Test accuracy {100 * right:.1f}% on {size} rank{'s' * (size > 1)} "
              f"in {time.perf_counter() - start:.1f} s")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
