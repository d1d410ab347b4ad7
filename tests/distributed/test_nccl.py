"""If one of these fails, groups over NCCL are wrong, as far as stand-ins for NCCL and for CUDA's driver can tell."""
import re
from pathlib import Path

import pytest
from extras import lacking, need_mpi
from ranks import command

pytestmark = pytest.mark.slow           # the stand-in's kernels are compiled

RANKS = Path(__file__).with_name("nccl_ranks.py")
try:
    import pyopencl  # noqa: F401  (what the stand-in for the driver runs kernels with)
except ImportError:
    lacking("pyopencl is not installed, which runs the kernels of the stand-in for CUDA's driver")


@pytest.mark.parametrize(("ranks", "every", "programs"), [(1, 211, 3), (2, 61, 10), (3, 211, 5)])
def test_conformance(ranks, every, programs):
    need_mpi()
    ended = command("--nproc-per-node", ranks, RANKS, "--ranks", ranks, "--every", every, "--programs", programs)
    assert ended.code == 0 and f"nccl: {ranks} ranks" in ended.out and " 0 failed" in ended.out, ended.out + ended.err
    for transfers, misuses in re.findall(r"(\d+) transfers, (\d+) misuses", ended.out):
        assert int(transfers) > 20 and misuses == "0"


def test_a_transfer_that_does_not_wait_for_its_operands_is_seen(tmp_path):
    """The stand-ins see what they are there for: here the group's stream does not wait for the caller's."""
    need_mpi()
    script = tmp_path / "hasty.py"
    script.write_text(f"import sys\nsys.path.insert(0, {str(RANKS.parent)!r})\n"
                      "import nccl_ranks\nimport cygrad_cuda.streams\n"
                      "cygrad_cuda.streams.Stream.wait_event = lambda stream, event: None\n"
                      "sys.exit(nccl_ranks.main(sys.argv[1:]))\n")
    ended = command("--nproc-per-node", 2, script, "--every", 211, "--programs", 0)
    assert ended.code != 0 and "does not wait for what" in ended.out, ended.out + ended.err
