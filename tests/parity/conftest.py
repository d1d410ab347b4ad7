"""These tests need PyTorch: without it they are not collected, and the header of the run says so."""

import importlib.util

HAVE_TORCH = importlib.util.find_spec("torch") is not None
collect_ignore_glob = [] if HAVE_TORCH else ["test_*.py"]


def pytest_configure(config):
    """One thread for PyTorch, in each process of the run: of more, it gives some results other strides.

    And no seeds for its other devices: `manual_seed` keeps them, each with the texts of the whole stack, for when a
    device is first used, which took up to nine tenths of the tests of samples.
    """
    if HAVE_TORCH:
        import torch

        torch.set_num_threads(1)
        for module in (torch.cuda.random, torch.xpu.random, torch.mtia):
            module._lazy_call = lambda *_, **__: None


def pytest_report_header(config):
    if not HAVE_TORCH:
        return "PyTorch is not installed: tests/parity is left out"
    import torch

    return f"parity with PyTorch {torch.__version__}"
