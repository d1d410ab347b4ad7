"""Learn to draw handwritten digits with a variational autoencoder (Kingma and Welling, 2014).

An encoder says for each image which two numbers may stand for it, a decoder draws an image from two numbers; both learn
from how well the drawing fits and from how much the numbers had to say. Then drawings of a grid of numbers are digits.
Run it with `python examples/variational_autoencoder.py`; `--help` lists the rest.
"""

from running import Progress, arguments, beside_pytorch, digits, picture

STEPS, QUICK_STEPS = 4000, 100
BATCH, WIDTH, NUMBERS, LEARNING_RATE = 128, 128, 2, 2e-3


def make_network(torch):
    """(encoder, decoder)."""
    nn = torch.nn
    encoder = nn.Sequential(nn.Linear(64, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH), nn.Tanh(),
                            nn.Linear(WIDTH, 2 * NUMBERS))
    decoder = nn.Sequential(nn.Linear(NUMBERS, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH), nn.Tanh(),
                            nn.Linear(WIDTH, 64))
    return encoder, decoder


def make_step(torch, images):
    """A function that makes one step of training, and the network."""
    encoder, decoder = make_network(torch)
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=LEARNING_RATE)

    def step():
        x = images[torch.randint(len(images), (BATCH,))].flatten(1)
        mean, log_variance = encoder(x).chunk(2, dim=1)
        numbers = mean + torch.randn_like(mean) * (log_variance / 2).exp()
        misfit = torch.nn.functional.binary_cross_entropy_with_logits(decoder(numbers), x, reduction="sum")
        said = (mean**2 + log_variance.exp() - 1 - log_variance).sum() / 2  # divergence from a standard normal
        loss = (misfit + said) / BATCH
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return step, (encoder, decoder)


def main():
    given = arguments(__doc__, "variational_autoencoder.png", STEPS, QUICK_STEPS)
    import cygrad as torch

    torch.manual_seed(given.seed)
    images, _ = digits(torch)
    step, (_, decoder) = make_step(torch, images)
    progress, losses = Progress(given.steps), []
    for i in range(given.steps):
        losses.append(step().item())
        progress.show(i + 1, f"loss {losses[-1]:.2f}")
    print(f"Loss {losses[0]:.2f} -> {sum(losses[-20:]) / len(losses[-20:]):.2f}")

    def draw(figure):
        side = torch.linspace(-2, 2, 12)
        grid = torch.cartesian_prod(side, side)
        with torch.no_grad():
            drawn = decoder(grid).sigmoid().reshape(12, 12, 8, 8).permute(0, 2, 1, 3).reshape(96, 96)
        left, right = figure.subplots(1, 2)
        left.plot(losses, linewidth=0.6)
        left.set(title="loss", xlabel="step")
        right.imshow(drawn.tolist(), cmap="gray_r")
        right.set(title="what a grid of numbers stands for")
        right.set_axis_off()

    picture(given.out, draw)
    beside_pytorch(lambda library: make_step(library, digits(library)[0])[0], given.quick)


if __name__ == "__main__":
    main()
