"""If one of these fails, the launcher's `--log-dir`, `--redirects`, `--tee` or `--local-ranks-filter` loses output."""
import pytest
from extras import need_mpi
from ranks import command

from cygrad.distributed.rank_logs import per_rank

SCRIPT = """
import os, sys
rank = os.environ["RANK"]
sys.stdout.write("out " + rank + "\\n")
sys.stderr.write("err " + rank + "\\n")
"""


@pytest.fixture
def run(tmp_path):
    need_mpi()
    script, logs = tmp_path / "script.py", tmp_path / "logs"
    script.write_text(SCRIPT)

    def run(*flags):
        ended = command("--nproc-per-node", 3, "--log-dir", logs, *flags, script)
        assert ended.code == 0, ended.err
        files = {f"{path.parent.name} {path.stem}": path.read_text().strip() for path in logs.rglob("*.log")}
        return ended.lines(), sorted(line for line in ended.err.split("\n") if line.startswith("err")), files

    return run


def test_redirects_and_tee_of_single_ranks(run):
    out, err, files = run("--redirects", "0:3", "--tee", "1:1")
    assert out == ["out 1", "out 2"] and err == ["err 1", "err 2"]
    assert files == {"0 stdout": "out 0", "0 stderr": "err 0", "1 stdout": "out 1"}


def test_tee_of_all_and_a_filter(run):
    out, err, files = run("-t", "3", "--local-ranks-filter", "2")
    assert out == ["out 2"] and err == ["err 2"]
    assert files == {f"{rank} std{name}": f"{name} {rank}" for rank in range(3) for name in ("out", "err")}


def test_attempts_have_folders_of_their_own(run, tmp_path):
    assert run("-r", "1") and [path.name for path in (tmp_path / "logs").glob("*/*")] == ["attempt_0"]


def test_numbers_of_streams():
    assert per_rank("3", "tee") == {None: 3} and per_rank("0:1,1:2,3", "tee") == {"0": 1, "1": 2, None: 3}


@pytest.mark.parametrize("text", ["4", "x", "a:1", "0:"])
def test_what_is_refused(text):
    with pytest.raises(SystemExit, match="--tee: expected"):
        per_rank(text, "tee")
