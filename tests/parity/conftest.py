"""These tests need PyTorch: without it they are not collected, and the header of the run says so."""

import importlib.util

HAVE_TORCH = importlib.util.find_spec("torch") is not None
collect_ignore_glob = [] if HAVE_TORCH else ["test_*.py"]


def pytest_configure(config):
    """One thread for PyTorch, in each process of the run: of more, it gives some results other strides."""
    if HAVE_TORCH:
        import torch

        torch.set_num_threads(1)


def pytest_report_header(config):
    if not HAVE_TORCH:
        return "PyTorch is not installed: tests/parity is left out"
    import torch

    return f"parity with PyTorch {torch.__version__}"
