"""Teach a convolutional network to read handwritten digits.

Two layers of filters look for strokes and for what strokes make, wherever they are; one layer reads the digit from it.
Run it with `python examples/convolutions.py`, on another device with `--backend opencl`; `--help` lists the rest.
"""

from running import Progress, arguments, beside_pytorch, digits, picture

STEPS, QUICK_STEPS = 1500, 60
BATCH, LEARNING_RATE = 64, 3e-3


def make_network(torch):
    """Filters over 8x8 images, then over what the first found in 4x4 squares."""
    nn = torch.nn

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.strokes = nn.Conv2d(1, 16, 3, padding=1)
            self.shapes = nn.Conv2d(16, 32, 3, padding=1)
            self.read = nn.Linear(32 * 2 * 2, 10)

        def forward(self, images):
            found = nn.functional.max_pool2d(self.strokes(images).relu(), 2)
            found = nn.functional.max_pool2d(self.shapes(found).relu(), 2)
            return self.read(found.flatten(1))

    return Network()


def make_step(torch, images, labels):
    """A function that makes one step of training, and the network."""
    network = make_network(torch)
    optimizer = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE)

    def step():
        batch = torch.randint(len(images), (BATCH,))
        loss = torch.nn.functional.cross_entropy(network(images[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return step, network


def main():
    given = arguments(__doc__, "convolutions.png", STEPS, QUICK_STEPS)
    import cygrad as torch

    torch.manual_seed(given.seed)
    images, labels = digits(torch)
    order = torch.randperm(len(images))
    test, train = order[: len(images) // 5], order[len(images) // 5 :]
    step, network = make_step(torch, images[train], labels[train])
    progress, losses = Progress(given.steps), []
    for i in range(given.steps):
        losses.append(step().item())
        progress.show(i + 1, f"loss {losses[-1]:.4f}")
    with torch.no_grad():
        guesses = network(images[test]).argmax(1)
    print(f"Test accuracy {(guesses == labels[test]).float().mean().item():.2%}")

    def draw(figure):
        left, right = figure.subplots(1, 2)
        left.plot(losses, linewidth=0.6)
        left.set(title="training loss", xlabel="step", yscale="log")
        filters = network.strokes.weight.detach().reshape(4, 4, 3, 3).permute(0, 2, 1, 3).reshape(12, 12)
        right.imshow(filters.tolist(), cmap="gray")
        right.set(title="filters of the first layer")
        right.set_axis_off()

    picture(given.out, draw)
    beside_pytorch(lambda library: make_step(library, *digits(library))[0], given.quick)


if __name__ == "__main__":
    main()
