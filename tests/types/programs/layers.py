"""Layers and containers: what they are made with, what they give."""
from collections import OrderedDict

import cygrad as torch
from cygrad import nn
from cygrad.nn import functional as F
from cygrad.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence, pad_sequence


def main() -> None:
    """Some of each kind."""
    model = nn.Sequential(nn.Conv2d(1, 2, kernel_size=3, padding=1), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2),
                          nn.Flatten(), nn.Dropout(0.1), nn.Linear(8, 3))
    out: torch.Tensor = model(torch.zeros(2, 1, 4, 4))
    part: nn.Sequential = model[1:3]
    one: nn.Module = model[0]
    assert out.shape == (2, 3) and len(part) == 2 and isinstance(one, nn.Conv2d)
    named = nn.Sequential(OrderedDict([("first", nn.Linear(2, 2)), ("second", nn.Tanh())]))
    blocks = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
    blocks.append(nn.Linear(2, 2))
    x: torch.Tensor = torch.ones(1, 2)
    for block in blocks:
        x = block(x)
    heads = nn.ModuleDict({"a": nn.Identity(), "b": nn.Softmax(dim=-1)})
    for name, head in heads.items():
        assert name in heads and isinstance(head(named(x)), torch.Tensor)
    lstm = nn.LSTM(input_size=3, hidden_size=4, num_layers=2, batch_first=True, bidirectional=True)
    rows, (h, c) = lstm(torch.zeros(2, 5, 3))
    assert rows.shape == (2, 5, 8) and h.shape == c.shape == (4, 2, 4)
    padded: torch.Tensor = pad_sequence([torch.ones(3, 3), torch.ones(2, 3)], batch_first=True)
    packed: PackedSequence = pack_padded_sequence(padded, torch.tensor([3, 2]), batch_first=True)
    back, lengths = pad_packed_sequence(packed, batch_first=True)
    assert back.shape == padded.shape and lengths.tolist() == [3, 2]
    attention = nn.MultiheadAttention(4, num_heads=2, batch_first=True)
    q = torch.zeros(1, 3, 4)
    mixed, weights = attention(q, q, q)
    assert mixed.shape == (1, 3, 4) and weights is not None and weights.shape == (1, 3, 3)
    table = nn.Embedding(10, 4, padding_idx=0)
    rows_of: torch.Tensor = table(torch.tensor([1, 2]))
    loss: torch.Tensor = F.cross_entropy(rows_of, torch.tensor([0, 1]), label_smoothing=0.1)
    scaled: torch.Tensor = F.scaled_dot_product_attention(q, q, q, is_causal=True)
    assert loss.dim() == 0 and scaled.shape == q.shape
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), num_layers=1)
    assert encoder(q).shape == q.shape
    scale = nn.Parameter(torch.ones(1))
    tensor: torch.Tensor = scale * 2
    assert tensor.requires_grad
