"""What `python -m cygrad.distributed.run` starts for each rank: torchrun's variables are set, then the script runs.

The script runs in a child, and tells the launcher how it ends. Its parent holds the connections that the child has to
``mpiexec``, and lives a little longer than a child that failed: mpiexec ends all ranks as soon as it sees one killed,
and they would not get to say what they waited for.
"""
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import time
import traceback

from cygrad.distributed import environment
from cygrad.distributed.rank_logs import Outputs

__all__ = ["main"]


class Launcher:
    """The connection to the launcher, which also sees it break."""

    def __init__(self, address, rank):
        self.rank, self.connection = rank, None
        host, _, port = (address or "").rpartition(":")
        if port:
            try:
                self.connection = socket.create_connection((host, int(port)), timeout=10)
            except OSError:
                pass

    def say(self, **words):
        if self.connection is not None:
            try:
                self.connection.sendall((json.dumps(dict(words, rank=self.rank)) + "\n").encode())
            except OSError:
                self.connection = None


def set_variables():
    """torchrun's variables, for scripts that read them."""
    if environment.launched() is None:
        for name, value in zip(environment.VARIABLES, (0, 1, 0, 1)):
            os.environ[name] = str(value)
    environment.set_variables()
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    local = int(os.environ.setdefault("LOCAL_WORLD_SIZE", str(size)))
    os.environ.setdefault("LOCAL_RANK", str(rank % local))
    os.environ.update(GROUP_RANK=str(rank // local), GROUP_WORLD_SIZE=str(-(-size // local)), ROLE_NAME="default",
                      ROLE_RANK=str(rank), ROLE_WORLD_SIZE=str(size))
    if rank > 0:
        os.environ.setdefault("TQDM_DISABLE", "1")      # one progress bar on the terminal: the first rank's


def run(arguments, module, no_python):
    """Run the script in this process, or the program beside it; the exit code."""
    if no_python:
        return subprocess.run(arguments).returncode
    sys.argv = list(arguments)
    if module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        runpy.run_path(arguments[0], run_name="__main__")
    return 0


def main():
    """Run what stands behind ``--`` on the command line, watched over."""
    set_variables()
    can_fork = hasattr(os, "fork")
    outputs = Outputs(int(os.environ["LOCAL_RANK"]), can_fork)
    child = os.fork() if can_fork else 0
    if child == 0:
        outputs.take()
        return run_rank()
    outputs.copy()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: passed_on(child, number))
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)       # with which mpiexec says that another rank has died
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    outputs.end()
    if code:
        time.sleep(float(os.environ.get("CYGRAD_GRACE", "0")))
    os._exit(code if code >= 0 else 128 - code)


def passed_on(child, number):
    """Give a signal to the child; end, if it has ended already."""
    try:
        os.kill(child, number)
    except ProcessLookupError:
        os._exit(128 + number)


def run_rank():
    """The child: run the script, and say how it ends."""
    place = sys.argv.index("--")
    flags, arguments = sys.argv[1:place], sys.argv[place + 1:]
    launcher = Launcher(os.environ.get("CYGRAD_LAUNCHER"), int(os.environ["RANK"]))
    launcher.say(pid=os.getpid(), host=socket.gethostname())
    try:
        code = run(arguments, "--module" in flags, "--no-python" in flags)
        launcher.say(code=code, why=f"exit code {code}")
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        launcher.say(code=code, why=f"exit code {code}")
        raise
    except BaseException as error:
        kind, _, trace = sys.exc_info()
        while trace is not None and trace.tb_frame.f_globals.get("__name__") in (__name__, "runpy", "__main__") \
                and trace.tb_frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>"):
            trace = trace.tb_next
        sys.excepthook(kind, error.with_traceback(trace), trace)
        launcher.say(code=1, why="".join(traceback.format_exception_only(kind, error)).strip())
        code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
