"""Teach a small transformer to write, one character after the other.

It reads this project's documentation, or `--text FILE`, and learns to say what character comes next; then it writes by
drawing one from what it says, again and again. After two minutes on two cores it spells words and closes brackets.
Run it with `python examples/transformer.py`; `--help` lists the rest.
"""

import time
from pathlib import Path

from running import Progress, arguments, beside_pytorch, picture

STEPS, QUICK_STEPS = 1200, 4
BATCH, CONTEXT, WIDTH, HEADS, LAYERS, LEARNING_RATE = 16, 64, 128, 4, 4, 2e-3


def read_text():
    """The texts of the repository."""
    folder = Path(__file__).parent.parent
    texts = [path.read_text(encoding="utf-8") for path in [folder / "README.md", *sorted(folder.glob("docs/*.md"))]]
    return "".join(character for character in "".join(texts) if character.isascii())


def make_network(torch, characters):
    """Blocks of attention and of a layer for each place, over vectors for characters and for places."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.before_attention, self.before_layers = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.project, self.join = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.layers = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

        def forward(self, x):
            batch, places, _ = x.shape
            parts = self.project(self.before_attention(x)).reshape(batch, places, 3, HEADS, WIDTH // HEADS)
            query, key, value = parts.permute(2, 0, 3, 1, 4)
            seen = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = x + self.join(seen.transpose(1, 2).reshape(batch, places, WIDTH))
            return x + self.layers(self.before_layers(x))

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.characters, self.places = nn.Embedding(characters, WIDTH), nn.Embedding(CONTEXT, WIDTH)
            self.blocks = nn.Sequential(*[Block() for _ in range(LAYERS)])
            self.last, self.read = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, characters)

        def forward(self, codes):
            x = self.characters(codes) + self.places(torch.arange(codes.shape[1], device=codes.device))
            return self.read(self.last(self.blocks(x)))

    return Network()


def make_step(torch, codes, characters):
    """A function that makes one step of training, and the network."""
    network = make_network(torch, characters)
    optimizer = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE)
    offsets = torch.arange(CONTEXT + 1)

    def step():
        places = torch.randint(len(codes) - CONTEXT, (BATCH, 1)) + offsets
        text = codes[places]
        scores = network(text[:, :-1])
        loss = torch.nn.functional.cross_entropy(scores.flatten(0, 1), text[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        return loss

    return step, network


def write(torch, network, alphabet, start, count):
    """So many characters more than `start`."""
    codes = [alphabet.index(character) for character in start]
    with torch.no_grad():
        for _ in range(count):
            scores = network(torch.tensor([codes[-CONTEXT:]]))[0, -1]
            codes.append(torch.multinomial((scores / 0.8).softmax(0), 1).item())
    return "".join(alphabet[code] for code in codes)


def main():
    given = arguments(__doc__, "transformer.png", STEPS, QUICK_STEPS)
    import cygrad as torch

    torch.manual_seed(given.seed)
    text = read_text()
    alphabet = sorted(set(text))
    codes = [alphabet.index(character) for character in text]
    step, network = make_step(torch, torch.tensor(codes), len(alphabet))
    progress, losses, started = Progress(given.steps), [], time.perf_counter()
    for i in range(given.steps):
        losses.append(step().item())
        progress.show(i + 1, f"loss {losses[-1]:.3f}")
    print(f"Loss {losses[0]:.2f} -> {sum(losses[-20:]) / len(losses[-20:]):.2f} "
          f"in {time.perf_counter() - started:.0f} s")
    print(write(torch, network, alphabet, "The ", 20 if given.quick else 400))

    def draw(figure):
        axes = figure.subplots()
        axes.plot(losses, linewidth=0.6)
        axes.set(title="how surprising the next character is", xlabel="step", ylabel="cross entropy")

    picture(given.out, draw)
    beside_pytorch(lambda library: make_step(library, library.tensor(codes), len(alphabet))[0], given.quick)


if __name__ == "__main__":
    main()
