"""Teach a small neural network to read handwritten digits, with tensors and autograd alone.

The network, its loss and its optimiser are written out below, each in a few lines; nothing comes ready-made. Read from
top to bottom: the images, the network, the training, the report. Run it with `python examples/digits.py`, on another
device with `--backend opencl`; `--help` lists the rest.
"""

import argparse
import gzip
import os
import sys
import time
from pathlib import Path

import cygrad as torch

IMAGES = Path(__file__).parent / "data" / "digits.csv.gz"
TEST_SHARE = 0.2
LAYERS = [64, 128, 64, 10]  # pixels, two hidden layers, digits
BATCH = 32
LEARNING_RATE = 3e-3
NOISE = 0.1  # added to the training images, so that no pixel alone decides


# ---- The images -----------------------------------------------------------------------------------------------------


def load_images():
    """All images as (n, 64) floats between 0 and 1, and the digits they show as (n,) integers."""
    with gzip.open(IMAGES, "rt") as lines:
        rows = torch.tensor([[int(number) for number in line.split(",")] for line in lines])
    return rows[:, :64].float() / 16, rows[:, 64]


def split(images, digits):
    """Keep a random fifth of the images aside; what the network is worth shows on those that it never saw."""
    order = torch.randperm(len(images))
    n_test = int(TEST_SHARE * len(images))
    test, train = order[:n_test], order[n_test:]
    return (images[train], digits[train]), (images[test], digits[test])


# ---- The network ----------------------------------------------------------------------------------------------------
# A layer multiplies by a weight matrix, adds a bias and cuts off what is negative. The last one cuts nothing: its ten
# outputs are scores, and log_softmax turns scores into logarithms of probabilities.


def make_parameters():
    """Weights and biases of every layer; the factor sqrt(2 / inputs) keeps signals at one size (He et al., 2015)."""
    parameters = []
    for inputs, outputs in zip(LAYERS, LAYERS[1:]):
        weight = torch.randn(inputs, outputs) * (2 / inputs) ** 0.5
        bias = torch.zeros(outputs)
        parameters += [weight.requires_grad_(), bias.requires_grad_()]
    return parameters


def log_probabilities(parameters, images):
    """For every image the logarithms of the ten digits' probabilities, (n, 10)."""
    signal = images
    for weight, bias in zip(parameters[:-2:2], parameters[1:-2:2]):
        signal = torch.relu(signal @ weight + bias)
    return torch.log_softmax(signal @ parameters[-2] + parameters[-1], dim=1)


def cross_entropy(log_p, digits):
    """How surprised the network is by the right answers, on average."""
    return -log_p.gather(1, digits.unsqueeze(1)).mean()


# ---- The training ---------------------------------------------------------------------------------------------------


class Adam:
    """Steps along the mean gradient, divided by its usual size (Kingma and Ba, 2015)."""

    def __init__(self, parameters, beta1=0.9, beta2=0.999, epsilon=1e-8):
        self.parameters = parameters
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.means = [torch.zeros_like(p) for p in parameters]
        self.squares = [torch.zeros_like(p) for p in parameters]
        self.steps = 0

    @torch.no_grad()
    def step(self, learning_rate):
        """Move every parameter against its gradient, then forget the gradient."""
        self.steps += 1
        mean_scale = 1 / (1 - self.beta1**self.steps)
        square_scale = 1 / (1 - self.beta2**self.steps)
        for p, mean, square in zip(self.parameters, self.means, self.squares):
            mean.mul_(self.beta1).add_(p.grad, alpha=1 - self.beta1)
            square.mul_(self.beta2).addcmul_(p.grad, p.grad, value=1 - self.beta2)
            p.sub_(learning_rate * mean_scale * mean / ((square_scale * square).sqrt() + self.epsilon))
            p.grad = None


def train(parameters, train_set, test_set, epochs):
    """Go through the training images `epochs` times; returns the loss of every step and the accuracy of every epoch."""
    images, digits = train_set
    optimiser = Adam(parameters)
    losses, accuracies = [], []
    progress = Progress(epochs)
    for epoch in range(epochs):
        learning_rate = LEARNING_RATE * (1 - epoch / epochs)
        for batch in torch.randperm(len(images)).split(BATCH):
            noisy = images[batch] + NOISE * torch.randn(len(batch), LAYERS[0])
            loss = cross_entropy(log_probabilities(parameters, noisy), digits[batch])
            loss.backward()
            optimiser.step(learning_rate)
            losses.append(loss.item())
        accuracies.append(accuracy(parameters, test_set))
        progress.show(epoch + 1, f"loss {losses[-1]:.4f}, test accuracy {accuracies[-1]:.2%}")
    return losses, accuracies


@torch.no_grad()
def predict(parameters, images):
    """The likeliest digit for every image."""
    return log_probabilities(parameters, images).argmax(dim=1)


def accuracy(parameters, dataset):
    """The share of images that the network reads correctly."""
    images, digits = dataset
    return (predict(parameters, images) == digits).float().mean().item()


class Progress:
    """A bar that redraws itself on a terminal; in a log file, ten lines."""

    WIDTH = 30

    def __init__(self, total):
        self.total = total
        self.live = sys.stderr.isatty()

    def show(self, done, text):
        filled = self.WIDTH * done // self.total
        line = f"{'#' * filled}{'.' * (self.WIDTH - filled)} {done}/{self.total}  {text}"
        if self.live:
            print(f"\r{line}\033[K", end="\n" if done == self.total else "", file=sys.stderr, flush=True)
        elif done == self.total or done % max(1, self.total // 10) == 0:
            print(line, file=sys.stderr, flush=True)


# ---- The report -----------------------------------------------------------------------------------------------------


def save_picture(path, losses, accuracies, parameters, test_set):
    """Draw how the training went and which digits are still misread; says what to install if that is not possible."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print('No picture: matplotlib is not installed. Get it with: pip install "cygrad[examples]"')
        return
    figure = Figure(figsize=(10, 5.6), layout="constrained")
    curves, mistakes = figure.subfigures(2, 1, height_ratios=[3, 1])
    draw_curves(curves, losses, accuracies)
    draw_mistakes(mistakes, parameters, test_set)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    print(f"Picture: {path}")


def draw_curves(figure, losses, accuracies):
    """The loss of every step on the left, the test accuracy of every epoch on the right."""
    left, right = figure.subplots(1, 2)
    left.plot(losses, linewidth=0.6)
    left.set(title="training loss", xlabel="step", ylabel="cross entropy", yscale="log")
    right.plot(range(1, len(accuracies) + 1), accuracies, marker=".")
    right.set(title=f"test accuracy: {accuracies[-1]:.2%} at the end", xlabel="epoch")
    for axes in (left, right):
        axes.grid(alpha=0.3)


def draw_mistakes(figure, parameters, test_set, at_most=9):
    """The misread images, each with the digit that was meant and the one that the network saw."""
    images, digits = test_set
    guesses = predict(parameters, images)
    wrong = (guesses != digits).nonzero().flatten()
    figure.suptitle(f"misread: {len(wrong)} of {len(images)}")
    for axes, i in zip(figure.subplots(1, at_most), wrong[:at_most].tolist() + [None] * at_most):
        axes.set_axis_off()
        if i is not None:
            axes.imshow(images[i].reshape(8, 8).tolist(), cmap="gray_r")
            axes.set_title(f"{digits[i].item()} read as {guesses[i].item()}", fontsize=8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", metavar="NAME", help="where to compute: cpu, opencl, cuda, cuda:1, auto, ...")
    parser.add_argument("--epochs", type=int, default=30, help="passes through the images (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("digits.png"), help="the picture (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.epochs < 1:
        parser.error("--epochs: at least one is needed")
    if arguments.backend:
        os.environ["CYGRAD_BACKEND"] = arguments.backend  # read when the first tensor is made, so not too late here

    torch.manual_seed(arguments.seed)
    train_set, test_set = split(*load_images())
    parameters = make_parameters()
    sizes = f"{len(train_set[0])} images to learn from, {len(test_set[0])} to be tested on"
    print(f"{sizes}, device {parameters[0].device}")

    start = time.perf_counter()
    losses, accuracies = train(parameters, train_set, test_set, arguments.epochs)
    print(f"Test accuracy {accuracies[-1]:.2%} after {time.perf_counter() - start:.1f} s of training")
    save_picture(arguments.out, losses, accuracies, parameters, test_set)


if __name__ == "__main__":
    main()
