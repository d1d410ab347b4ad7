"""`assert_close` and `make_tensor`, for anybody's tests. And: is a backend right, and how fast is it? Tools for whoever
writes one; nothing here is loaded by `import cygrad`.

``python -m cygrad.testing BACKEND`` calls every entry of the kernel interface as the core would, with every dtype and
memory layout that the contract allows, and compares with the CPU; then it runs public ops and gradients on the device.
``pytest -p cygrad.testing.pytest_plugin --pyargs cygrad.testing --backend BACKEND`` does the same as pytest items, and
``python -m cygrad.testing.bench BACKEND`` times every entry beside the CPU.

A case (`cases`) says which entry is called with which operands (`operands`), and what must come out (`reference`);
`runner` runs it, `report` tells what came of it, `end_to_end` has the public ops.
"""
from cygrad.testing.comparing import assert_allclose, assert_close
from cygrad.testing.random_operands import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
