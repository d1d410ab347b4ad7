"""Tensors to call functions with."""

import cygrad
import pytest


@pytest.fixture
def a():
    return cygrad.tensor([1.0, 2.0], requires_grad=True)


@pytest.fixture
def b():
    return cygrad.tensor([3.0, 5.0], requires_grad=True)
