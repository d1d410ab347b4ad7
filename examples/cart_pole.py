"""Learn to balance a pole on a cart by deep Q-learning (Mnih et al., 2015).

A network says for each state what pushing the cart to the left and to the right is worth; it learns from remembered
pushes that their worth is the reward and what the next state is worth. The cart-pole is that of Barto, Sutton and
Anderson (1983), written out below. Run it with `python examples/cart_pole.py`; `--help` lists the rest.
"""

import math
import random

from running import Progress, arguments, beside_pytorch, picture

STEPS, QUICK_STEPS = 20_000, 400
BATCH, WIDTH, MEMORY, DISCOUNT, LEARNING_RATE = 64, 64, 20_000, 0.99, 1e-3
COPY_EVERY, EXPLORE_FOR = 250, 4000


class CartPole:
    """A cart on a track, a pole on the cart: pushed left or right every 0.02 s, until the pole falls or 500 pushes."""

    def __init__(self, chance):
        self.chance = chance

    def reset(self):
        self.state, self.pushes = [self.chance.uniform(-0.05, 0.05) for _ in range(4)], 0
        return self.state

    def push(self, right):
        """(state, whether it fell, whether it is over)."""
        place, speed, angle, turning = self.state
        force, sine, cosine = 10.0 if right else -10.0, math.sin(angle), math.cos(angle)
        pressure = (force + 0.05 * turning**2 * sine) / 1.1  # pole 0.1 kg, half its length 0.5 m, cart 1 kg
        turn = (9.8 * sine - cosine * pressure) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))
        push = pressure - 0.05 * turn * cosine / 1.1
        self.state = [place + 0.02 * speed, speed + 0.02 * push, angle + 0.02 * turning, turning + 0.02 * turn]
        self.pushes += 1
        fell = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 12 * math.pi / 180
        return self.state, fell, fell or self.pushes == 500


def make_network(torch):
    """What each of two pushes is worth in a state of four numbers."""
    nn = torch.nn
    return nn.Sequential(nn.Linear(4, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 2))


class Learner:
    """The network, a copy that changes less often, and what was seen."""

    def __init__(self, torch, chance):
        self.torch, self.chance = torch, chance
        self.network, self.copy = make_network(torch), make_network(torch)
        self.copy.load_state_dict(self.network.state_dict())
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=LEARNING_RATE)
        self.memory = []

    def remember(self, *seen):
        if len(self.memory) == MEMORY:
            self.memory[self.chance.randrange(MEMORY)] = seen
        else:
            self.memory.append(seen)

    def best(self, state):
        with self.torch.no_grad():
            return self.network(self.torch.tensor(state)).argmax().item()

    def learn(self):
        torch = self.torch
        states, pushes, following, fell = zip(*self.chance.sample(self.memory, BATCH))
        worth = self.network(torch.tensor(states)).gather(1, torch.tensor(pushes).unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            later = self.copy(torch.tensor(following)).amax(1)
            wanted = 1 + DISCOUNT * later * (1 - torch.tensor(fell))
        loss = torch.nn.functional.smooth_l1_loss(worth, wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def make_step(torch):
    """A function that makes one step of learning from random states."""
    chance = random.Random(0)
    learner = Learner(torch, chance)
    for _ in range(BATCH):
        state, following = ([chance.uniform(-1, 1) for _ in range(4)] for _ in range(2))
        learner.remember(state, chance.randrange(2), following, 0.0)
    return learner.learn


def main():
    given = arguments(__doc__, "cart_pole.png", STEPS, QUICK_STEPS)
    import cygrad as torch

    torch.manual_seed(given.seed)
    chance = random.Random(given.seed)
    cart, learner, lengths = CartPole(chance), Learner(torch, chance), []
    state, progress = cart.reset(), Progress(given.steps)
    for i in range(given.steps):
        explores = chance.random() < max(0.05, 1 - i / EXPLORE_FOR)
        push = chance.randrange(2) if explores else learner.best(state)
        following, fell, over = cart.push(push)
        learner.remember(state, push, following, float(fell))
        state = following
        if over:
            lengths.append(cart.pushes)
            state = cart.reset()
        if len(learner.memory) >= 5 * BATCH:
            learner.learn()
        if i % COPY_EVERY == 0:
            learner.copy.load_state_dict(learner.network.state_dict())
        progress.show(i + 1, f"last pole stood for {lengths[-1] if lengths else 0} pushes")
    last = lengths[-10:]
    print(f"{len(lengths)} poles; the last {len(last)} stood for {sum(last) / max(len(last), 1):.0f} pushes")

    def draw(figure):
        axes = figure.subplots()
        axes.plot(lengths, marker=".", linewidth=0.6)
        axes.set(title="how long each pole stood", xlabel="pole", ylabel="pushes")

    picture(given.out, draw)
    beside_pytorch(make_step, given.quick)


if __name__ == "__main__":
    main()
