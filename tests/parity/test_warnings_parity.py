"""If one of these fails, a warning has other words than PyTorch's, or names a line that is not the user's."""

import re
import warnings

import cygrad
import numpy as np
import pytest
import torch

CALLS = [
    "m.cumsum(m.ones(3), 0, out=m.empty(2))", "m.exp(m.ones(3), out=m.empty(2))",
    "m.mm(m.ones(2, 2), m.ones(2, 2), out=m.empty(3))", "m.tensor(m.ones(2))", "m.ones(2).new_tensor(m.ones(2))",
    "m.ones(3)[m.tensor([1, 0, 1], dtype=m.uint8)]", "m.tensor(3.0).T", "m.ones(3, 2, 1).T", "m.tensor(3.0).mT",
    "m.tensor(3.0).H", "m.ones(1).std()", "m.ones(1).var(0)", "m.cov(m.ones(1, 1))",
    "m.nn.functional.mse_loss(m.ones(2), m.ones(1))", "(m.ones(2, requires_grad=True) * 2).grad",
    "m.ones(4).scatter_(0, m.tensor([1]), m.ones(1), reduce='add')",
    "m.ones(1).expand(3).index_fill_(0, m.tensor([0]), 1)", "m.from_numpy(readonly)",
    "m.where(m.tensor([1, 0], dtype=m.uint8), m.ones(2), m.ones(2))",
    "m.tensor([readonly, readonly])", "m.arange(4, out=m.empty(2, 3))", "m.fft.fftfreq(3, out=m.empty(2))",
]


# What a text says of PyTorch itself.
OTHER_WORDS = [(r" \(Triggered internally.*", ""), ("torch.Size", "cygrad.Size"),
               ("future PyTorch release o", "future release o"),
               (" This type of warning will be suppressed for the rest of this program.", "")]


@pytest.fixture(autouse=True)
def every_time():
    """PyTorch gives some warnings once a process, which another test may have had."""
    for module in torch, cygrad:
        module.set_warn_always(True)
    yield
    for module in torch, cygrad:
        module.set_warn_always(False)


def warned(module, call):
    """Category, text, file and line of the warnings."""
    readonly = np.ones(2)
    readonly.flags.writeable = False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile("pass\n" + call, "<a user's script>", "exec"), {"m": module, "readonly": readonly})
    return [(w.category, in_our_words(str(w.message)), w.filename, w.lineno) for w in caught]


def in_our_words(text):
    for theirs, ours in OTHER_WORDS:
        text = re.sub(theirs, ours, text)
    return text


@pytest.mark.parametrize("call", CALLS)
def test_words_and_line(call):
    ours, theirs = warned(cygrad, call), warned(torch, call)
    assert theirs and ours == theirs


@pytest.mark.parametrize("call", ["m.zeros(3, out=m.empty(2))", "m.linspace(0, 1, 3, out=m.empty(2))",
                                  "m.randperm(3, out=m.empty(2).long())", "m.arange(4, out=m.empty(2, 2))"])
def test_silence(call):
    assert warned(cygrad, call) == warned(torch, call) == []
