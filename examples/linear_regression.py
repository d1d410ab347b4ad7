"""Fit a line to noisy points twice: with gradients worked out by hand, then with autograd.

The points scatter around y = 2 x + 3; each of the 500 steps sees a fresh handful and moves the slope `w` and the
intercept `b` against the gradient of the squared error. Both fits draw the random numbers that PyTorch draws after the
same seed, so they end on the same slope and intercept, to the last digit.
"""

import cygrad as torch

SEED = 1000
STEPS = 500


def sample(n):
    """n points around the line: x between 0 and 5, y = 2 x + 3 plus normal noise, both of shape (n, 1)."""
    x = torch.rand(n, 1) * 5
    y = x * 2 + 3 + torch.randn(n, 1)
    return x, y


def by_hand(learning_rate=0.02, batch=4):
    """With e = x w + b - y, the error of one point is e^2 / 2; its slope is e x in w, and e in b."""
    torch.manual_seed(SEED)
    sample(16)  # a first look at the points, as one takes before fitting; it moves the random stream on
    w, b = torch.rand(1, 1), torch.zeros(1, 1)
    for step in range(STEPS):
        x, y = sample(batch)
        e = x @ w + b - y
        w -= learning_rate * (x.t() @ e)
        b -= learning_rate * e.sum()
        if step % 50 == 0:
            sample(32)  # fresh points to judge the line by, now and then
    return w.item(), b.item()


def with_autograd(learning_rate=0.005, batch=32):
    """The same error, but only the forward direction is written down."""
    torch.manual_seed(SEED)
    sample(8)
    w = torch.rand(1, 1, requires_grad=True)
    b = torch.zeros(1, 1, requires_grad=True)
    for step in range(STEPS):
        x, y = sample(batch)
        loss = (0.5 * (x @ w + b - y) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            for parameter in (w, b):
                parameter -= learning_rate * parameter.grad
                parameter.grad = None
        if step % 50 == 0:
            sample(20)
    return w.item(), b.item()


if __name__ == "__main__":
    print(*by_hand())
    print(*with_autograd())
