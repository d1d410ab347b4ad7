"""`python -m cygrad.distributed.run --nproc-per-node 2 script.py`: start a script as several processes.

Flags and environment variables are torchrun's; the processes are started by MPI's ``mpiexec``, on this host or, with
``--hostfile``, on several. Each begins in `cygrad.distributed.rank_process`, which tells this process how it ends: who
failed first is named at the end, and what is left then is stopped.
"""
import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from cygrad.distributed.environment import LAUNCHERS, VARIABLES
from cygrad.distributed.rank_logs import wishes

__all__ = ["main", "parser"]

GRACE = 10.0        # seconds that the others have, after the first has failed, to find out and end by themselves
STOPPING = 3.0      # seconds between asking and forcing


def parser():
    """The command line: torchrun's, as far as it has a meaning with MPI."""
    made = argparse.ArgumentParser(prog="python -m cygrad.distributed.run", description=__doc__.partition("\n")[0])

    def flag(name, *short, **options):
        made.add_argument(*short, f"--{name}", f"--{name.replace('-', '_')}", **options)

    flag("nproc-per-node", default="1", help="processes on each host: a number, or auto or cpu: one for each processor")
    flag("nnodes", default="1", help="hosts; more than one need --hostfile")
    flag("hostfile", "-f", help="mpiexec's file of host names, one a line")
    flag("mpiexec", default=None, help="the launcher to use (default: mpiexec beside this Python, or on the path)")
    flag("grace", type=float, default=GRACE, help="seconds the others have after the first failure")
    flag("max-restarts", type=int, default=0, help="start all again so often if one fails")
    flag("module", "-m", action="store_true", help="the script is the name of a module")
    flag("no-python", action="store_true", help="the script is a program of its own")
    flag("standalone", action="store_true", help="taken, and not needed: MPI knows how the processes meet")
    flag("log-dir", default=None, help="where the ranks' files are, by --redirects and --tee (default: a new folder)")
    flag("redirects", "-r", default="0", help="to files: 1 stdout, 2 stderr, 3 both; of single ranks: 0:1,1:3")
    flag("tee", "-t", default="0", help="to the terminal and to files")
    flag("local-ranks-filter", default="", help="show the output of these only: 0,2")
    for name in ("node-rank", "master-addr", "master-port", "rdzv-backend", "rdzv-endpoint", "rdzv-id", "rdzv-conf",
                 "local-addr", "role", "monitor-interval", "start-method", "event-log-handler", "shutdown-timeout",
                 "signals-to-handle"):
        flag(name, default=None, help=argparse.SUPPRESS)
    made.add_argument("script", help="what each process runs")
    made.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    return made


def processes_per_node(wish):
    """How many processes `--nproc-per-node` means."""
    if wish in ("auto", "cpu"):
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not wish.isdigit() or int(wish) < 1:
        raise SystemExit(f"--nproc-per-node: expected a number, auto or cpu, but got {wish!r}")
    return int(wish)


def find_mpiexec(wish):
    """The path of mpiexec: what was asked for, or that beside this Python, or that on the path."""
    beside = os.path.join(os.path.dirname(sys.executable), "mpiexec")
    found = shutil.which(wish or (beside if os.access(beside, os.X_OK) else "mpiexec"))
    if found is None:
        raise SystemExit(f"{wish or 'mpiexec'} is not there; it comes with: pip install \"cygrad[mpi]\"")
    return found


def command(options, count, per_node):
    """What is run: mpiexec and a worker for each process."""
    python = [sys.executable, "-u", "-m", "cygrad.distributed.rank_process"]
    if options.module:
        python.append("--module")
    if options.no_python:
        python.append("--no-python")
    worker = [*python, "--", options.script, *options.arguments]
    if count == 1:
        return worker
    mpiexec = find_mpiexec(options.mpiexec)
    version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
    start = [mpiexec, "-n", str(count)]
    if "HYDRA" in version.upper():
        start.append("-disable-auto-cleanup")       # who is left is told why, and stopped by us if it does not end
    if options.hostfile:
        start += ["-f", options.hostfile, "-ppn", str(per_node)]
    return [*start, *worker]


# ---------------------------------------------------------------------- what the workers say

class Reports:
    """A socket on which workers say who they are and how they end."""

    def __init__(self, on_all_hosts):
        self.server = socket.create_server(("" if on_all_hosts else "127.0.0.1", 0), backlog=1024)
        self.host = socket.gethostname() if on_all_hosts else "127.0.0.1"
        self.lock = threading.Lock()
        self.begun, self.ended, self.failures = {}, set(), []
        threading.Thread(target=self._accept, daemon=True).start()

    def address(self):
        return f"{self.host}:{self.server.getsockname()[1]}"

    def _accept(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self._listen, args=(connection,), daemon=True).start()

    def _listen(self, connection):
        rank = None
        try:
            with connection, connection.makefile("r", encoding="utf-8") as lines:
                for line in lines:
                    said = json.loads(line)
                    rank = said["rank"]
                    self._note(rank, said)
        except (OSError, ValueError):
            pass
        with self.lock:
            if rank is not None and rank not in self.ended:
                self.failures.append((rank, "its process died without a word"))
                self.ended.add(rank)

    def _note(self, rank, said):
        with self.lock:
            if "pid" in said:
                self.begun[rank] = said["host"], said["pid"]
            else:
                self.ended.add(rank)
                if said["code"]:
                    self.failures.append((rank, said["why"]))

    def close(self):
        self.server.close()


# ---------------------------------------------------------------------- running

def run_once(options, count, per_node, attempt):
    """The exit code of one attempt; all its processes are gone afterwards."""
    reports = Reports(on_all_hosts=bool(options.hostfile))
    environment = dict(os.environ, CYGRAD_LAUNCHER=reports.address(), TORCHELASTIC_RUN_ID=options.rdzv_id or "none",
                       TORCHELASTIC_RESTART_COUNT=str(attempt), TORCHELASTIC_MAX_RESTARTS=str(options.max_restarts))
    environment.update(wishes(options, attempt))
    environment["CYGRAD_GRACE"] = str(2 * options.grace)
    environment.setdefault("MASTER_ADDR", options.master_addr or "127.0.0.1")
    environment.setdefault("MASTER_PORT", options.master_port or "29500")
    if count > 1:
        environment.setdefault("OMP_NUM_THREADS", "1")
    # Also what is left of a launcher around this one, such as a batch script's own rank in SLURM.
    for variable in (*VARIABLES, *(variables[0] for variables in LAUNCHERS.values())):
        environment.pop(variable, None)
    process = subprocess.Popen(command(options, count, per_node), env=environment)
    try:
        code = wait(process, reports, options.grace, count)
    finally:
        stop(process, reports)
        reports.close()
    if reports.failures:
        rank, why = reports.failures[0]
        print(f"cygrad.distributed.run: rank {rank} failed first: {why}", file=sys.stderr, flush=True)
    return code or int(bool(reports.failures))


def wait(process, reports, grace, count):
    """The exit code of mpiexec; 1 after a failure, when all ranks have ended or the others' time is over."""
    until = None
    while process.poll() is None:
        if until is None and reports.failures:
            until = time.monotonic() + grace
        if until is not None and (time.monotonic() > until or len(reports.ended) == count):
            time.sleep(0.2)         # for mpiexec to pass on what they have printed
            return process.poll() or 1
        time.sleep(0.02)
    return process.returncode


def stop(process, reports):
    """End mpiexec and the workers of this host, if any are left: asked first, then forced."""
    here = socket.gethostname()
    for number in (signal.SIGTERM, signal.SIGKILL):
        left = [pid for rank, (host, pid) in reports.begun.items() if host == here and rank not in reports.ended]
        for pid in left:
            try:
                os.kill(pid, number)
            except OSError:
                pass
        if process.poll() is None:
            process.send_signal(number)
        try:
            process.wait(STOPPING)
        except subprocess.TimeoutExpired:
            continue
        if not left:
            return
    until = time.monotonic() + STOPPING         # a process that was killed may take a moment to go
    while any(map(exists, left)) and time.monotonic() < until:
        time.sleep(0.01)


def exists(pid):
    """Whether there is a process of this number."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def main(arguments=None):
    """Run the script; the exit code is 0 if all processes ended well."""
    options = parser().parse_args(arguments)
    per_node = processes_per_node(options.nproc_per_node)
    if options.hostfile and not os.path.isfile(options.hostfile):
        raise SystemExit(f"--hostfile: there is no file {options.hostfile!r}")
    nodes = int(options.nnodes.rpartition(":")[2])
    if nodes > 1 and not options.hostfile:
        raise SystemExit("--nnodes: several hosts need --hostfile, with their names")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    for attempt in range(options.max_restarts + 1):
        code = run_once(options, nodes * per_node, per_node, attempt)
        if code == 0:
            break
    return code


if __name__ == "__main__":
    sys.exit(main())
