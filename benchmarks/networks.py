"""Models as people write them, with nn, optim and utils.data: one training step, one layer, one pass over a data set.

A perceptron, a small convolutional net, a recurrent one and a transformer, each with its optimiser; a layer so small
that the call is all of it; an optimiser over many parameters; loaders. Time loaders with worker processes with
`--threads 2`: with one thread the clock is that of the process itself, and its workers' time is not in it.
"""

import sys

from harness import Row, main

STEP = """
nn, F, optim = m.nn, m.nn.functional, m.optim
m.manual_seed(0)
{model}
optimizer = optim.{optimizer}(model.parameters(), lr=1e-3)
model.train()
def step():
    optimizer.zero_grad()
    loss_of().backward()
    optimizer.step()
"""
PERCEPTRON = """
model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 10))
x, y = m.rand({batch}, 784), m.randint(0, 10, ({batch},))
def loss_of():
    return F.cross_entropy(model(x), y)
"""
CONVOLUTIONAL = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
        self.fc1, self.fc2 = nn.Linear(32 * 7 * 7, 64), nn.Linear(64, 10)
    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc2(F.relu(self.fc1(m.flatten(x, 1))))
model = Net()
x, y = m.rand(32, 1, 28, 28), m.randint(0, 10, (32,))
def loss_of():
    return F.cross_entropy(model(x), y)
"""
RECURRENT = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM({inputs}, {hidden}, batch_first=True), nn.Linear({hidden}, 10)
    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])
model = Net()
x, y = m.rand(32, {length}, {inputs}), m.randint(0, 10, (32,))
def loss_of():
    return F.cross_entropy(model(x), y)
"""
TRANSFORMER = """
class Net(nn.Module):
    def __init__(self, words=65, width=128, length=64):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout={dropout}, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
        self.out = nn.Linear(width, words)
        self.mask = nn.Transformer.generate_square_subsequent_mask(length)
    def forward(self, x):
        x = self.words(x) + self.places(m.arange(x.shape[1]))
        return self.out(self.body(x, mask=self.mask, is_causal=True))
model = Net()
x = m.randint(0, 65, (8, 65))
def loss_of():
    return F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
"""
MODELS = [
    ("MLP 784-512-10, Adam, batch 32", PERCEPTRON.format(batch=32), "Adam"),
    ("MLP 784-512-10, Adam, batch 128", PERCEPTRON.format(batch=128), "Adam"),
    ("small CNN, Adam, batch 32 of 28x28", CONVOLUTIONAL, "Adam"),
    ("LSTM 64 to 128, 32 steps, batch 32", RECURRENT.format(inputs=64, hidden=128, length=32), "Adam"),
    ("LSTM 28 to 64, 28 steps, batch 32", RECURRENT.format(inputs=28, hidden=64, length=28), "Adam"),
    ("transformer, 4 layers of 128, batch 8 of 64", TRANSFORMER.format(dropout=0.0), "AdamW"),
    ("transformer with dropout 0.1", TRANSFORMER.format(dropout=0.1), "AdamW"),
]
SMALL = """
m.manual_seed(0)
layer, x = m.nn.Linear(4, 3), m.rand(2, 4)
"""
PARAMETERS = """
m.manual_seed(0)
parameters = [m.nn.Parameter(m.rand({elements}, dtype=m.{dtype})) for _ in range({count})]
for p in parameters:
    p.grad = m.rand({elements}, dtype=m.{dtype})
optimizer = m.optim.{optimizer}(parameters, lr=1e-3)
"""
OPTIMIZERS = [("AdamW", 200, 10000, "float32"), ("SGD", 200, 10000, "float32"), ("AdamW", 200, 10000, "bfloat16"),
              ("AdamW", 200, 100, "bfloat16")]
LOADER = """
import importlib
data = importlib.import_module(m.__name__ + ".utils.data")
m.manual_seed(0)
pairs = data.TensorDataset(m.rand(2048, 1, 28, 28), m.randint(0, 10, (2048,)))
loader = data.DataLoader(pairs, batch_size=32, shuffle=True, num_workers={workers}, persistent_workers={workers} > 0)
def all_batches():
    for x, y in loader:
        pass
"""
GROUPS = {
    "training of models": [Row(name, STEP.format(model=model, optimizer=optimizer), "step()", tolerance=None)
                           for name, model, optimizer in MODELS],
    "layers and optimisers": [Row("Linear(4, 3)(x)", SMALL, "layer(x)", tolerance=None)] + [
        Row(f"{optimizer} over {count} parameters of {elements} elements, {dtype}",
            PARAMETERS.format(count=count, elements=elements, dtype=dtype, optimizer=optimizer), "optimizer.step()",
            tolerance=None) for optimizer, count, elements, dtype in OPTIMIZERS],
    "loaders": [Row(f"DataLoader, {workers} workers, 64 batches of 32 images", LOADER.format(workers=workers),
                    "all_batches()", tolerance=None) for workers in (0, 2)],
}

if __name__ == "__main__":
    sys.exit(main(GROUPS, __doc__))
