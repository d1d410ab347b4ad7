"""Programs of several processes, for tests: written to a file and started by `cygrad.distributed.run`."""
import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAD = """
import os, signal, sys, time
from datetime import timedelta
import cygrad
import cygrad.distributed as dist
dist.init_process_group("gloo", timeout=timedelta(seconds={timeout}))
rank, size = dist.get_rank(), dist.get_world_size()

def say(text):      # in one piece, which the other ranks' lines don't get into
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()
"""
LIMIT = 120         # seconds, after which a program counts as hung


class Ended:
    """How a program of several processes ended: its exit code and what it printed."""

    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def lines(self):
        """What all ranks printed, sorted."""
        return sorted(self.out.split("\n")[:-1])


def command(*arguments):
    """Run the launcher with these arguments."""
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    done = subprocess.run([sys.executable, "-m", "cygrad.distributed.run", *map(str, arguments)], capture_output=True,
                          text=True, timeout=LIMIT, env=environment, cwd=ROOT)
    return Ended(done)


def run(folder, ranks, text, timeout=60, *flags):
    """Run a script's text as so many processes, after it has made their group."""
    script = Path(folder) / "ranks_script.py"
    script.write_text(HEAD.replace("{timeout}", str(timeout)) + textwrap.dedent(text))
    return command("--nproc-per-node", ranks, *flags, script)


def succeeded(folder, ranks, text, timeout=60):
    """As `run`, of a script that must end well; what its ranks printed, sorted."""
    ended = run(folder, ranks, text, timeout)
    assert ended.code == 0, ended.out + ended.err
    return ended.lines()
