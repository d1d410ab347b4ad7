"""A rank of the suite for process groups over NCCL, on stand-ins for NCCL and for CUDA's driver; see test_nccl.py."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "backends"))

import fake_cuda
import fake_nccl
from fake_machine import installed


def main(arguments):
    """The suite's answer; 1 as well where the driver or NCCL was misused."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        made = installed(monkeypatch, fake_cuda.FakeDriver(limit=1 << 32), cublas=True, execute=True)
        library = fake_nccl.install(made.driver)
        from cygrad.testing.process_group import main as suite
        status = suite(["nccl", "--device", "cuda", *arguments])
        print(f"{library.transfers} transfers, {len(made.driver.misuse)} misuses", *made.driver.misuse[:5], flush=True)
        return int(status or bool(made.driver.misuse))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
