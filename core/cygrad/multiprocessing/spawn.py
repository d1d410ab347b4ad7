"""Several processes that run one function: `spawn`, `start_processes`, and the errors of processes that failed."""
import logging
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import time
import traceback
import warnings

__all__ = ["ENV_VAR_PARALLEL_START", "ProcessContext", "ProcessException", "ProcessExitedException",
           "ProcessRaisedException", "SpawnContext", "spawn", "start_processes"]

ENV_VAR_PARALLEL_START = "TORCH_MP_PARALLEL_START"
LONGEST_REPORT = 30000          # characters of a traceback: what a pipe takes while nobody reads
PATIENCE = 30                   # seconds that processes have to end when they are told to
log = logging.getLogger(__name__)


class ProcessException(Exception):
    """A process failed.

    Attributes
    ----------
    msg : str
    error_index : int
        Number of the process, from 0.
    error_pid : int
    """

    def __init__(self, msg, error_index, error_pid):
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.error_pid = error_pid

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """A process failed with an exception, whose traceback is in the message."""


class ProcessExitedException(ProcessException):
    """A process ended by a signal, or with an exit code other than 0.

    Attributes
    ----------
    exit_code : int
    signal_name : str or None
    """

    def __init__(self, msg, error_index, error_pid, exit_code, signal_name=None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


def end_with_parent():
    """Let the system interrupt this process when its parent ends (Linux only)."""
    if sys.platform.startswith("linux"):
        import ctypes      # start-up time
        ctypes.CDLL(None).prctl(1, signal.SIGINT)       # PR_SET_PDEATHSIG


def _run(fn, index, args, report):
    """What a process runs."""
    end_with_parent()
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass                    # the parent's wish
    except Exception:
        report.send(traceback.format_exc()[-LONGEST_REPORT:])
        sys.exit(1)


class ProcessContext:
    """
    The processes that `start_processes` has started.

    Attributes
    ----------
    processes : list of multiprocessing.Process
    """

    def __init__(self, processes, reports):
        self.processes = processes
        self.sentinels = {process.sentinel: number for number, process in enumerate(processes)}
        self._reports = reports

    def pids(self):
        """The numbers that the system gave the processes."""
        return [process.pid for process in self.processes]

    def join(self, timeout=None, grace_period=None):
        """
        Wait until a process ends; if it failed, end the others.

        Parameters
        ----------
        timeout : float, optional
            Seconds to wait at most.
        grace_period : float, optional
            Seconds that the other processes have to end by themselves, and again after they were told to.

        Returns
        -------
        bool
            Whether all have ended.

        Raises
        ------
        ProcessRaisedException
            If it raised an exception.
        ProcessExitedException
            If it ended by a signal, or with an exit code other than 0.
        """
        for sentinel in multiprocessing.connection.wait(list(self.sentinels), timeout) if self.sentinels else ():
            number = self.sentinels.pop(sentinel)
            process = self.processes[number]
            process.join()
            if process.exitcode != 0:
                self._end(grace_period)
                raise self._error(number)
        return not self.sentinels

    def _end(self, grace_period):
        if grace_period is not None:
            self._wait(grace_period)
        for tell, by in (("terminate", "SIGTERM"), ("kill", "SIGKILL")):
            for process in self.processes:
                if process.is_alive():
                    log.warning("Terminating process %d via signal %s", process.pid, by)
                    getattr(process, tell)()
            self._wait(PATIENCE if grace_period is None else grace_period)

    def _wait(self, seconds):
        end = time.monotonic() + seconds
        for process in self.processes:
            process.join(max(0, end - time.monotonic()))

    def _error(self, number):
        process, report = self.processes[number], self._reports[number]
        try:
            if report.poll():
                return ProcessRaisedException(f"\n\n-- Process {number} terminated with the following error:\n"
                                              f"{report.recv()}", number, process.pid)
        except EOFError:        # it had nothing to say
            pass
        code = process.exitcode
        if code >= 0:
            return ProcessExitedException(f"process {number} terminated with exit code {code}", number, process.pid,
                                          code)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"<Unknown signal {-code}>"
        return ProcessExitedException(f"process {number} terminated with signal {name}", number, process.pid, code,
                                      name)


class SpawnContext(ProcessContext):
    """The old name of `ProcessContext`."""

    def __init__(self, processes, reports):
        warnings.warn("SpawnContext is renamed to ProcessContext since 1.4 release.", stacklevel=2)
        super().__init__(processes, reports)


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """
    Run ``fn(i, *args)`` in processes i = 0, 1, ...

    Parameters
    ----------
    fn : callable
        With "spawn" and "forkserver", one that can be imported.
    args : tuple
        Tensors among them are shared.
    nprocs : int
        How many processes.
    join : bool
        Wait for all of them.
    daemon : bool
        The processes end with this one, and can't start others.
    start_method : str
        "spawn", "fork" or "forkserver".

    Returns
    -------
    ProcessContext or None
        None if `join`.

    Raises
    ------
    ProcessRaisedException, ProcessExitedException
        If one fails; the others are ended then.
    """
    context = multiprocessing.get_context(start_method)

    def start(number):
        report, other_end = context.Pipe(duplex=False)
        process = context.Process(target=_run, args=(fn, number, args, other_end), daemon=daemon)
        process.start()
        other_end.close()
        return process, report

    if start_method == "forkserver" and os.environ.get(ENV_VAR_PARALLEL_START, "0") == "1":
        from concurrent.futures import ThreadPoolExecutor      # start-up time
        with ThreadPoolExecutor(nprocs) as pool:
            started = list(pool.map(start, range(nprocs)))
    else:
        started = list(map(start, range(nprocs)))
    found = ProcessContext([process for process, _ in started], [report for _, report in started])
    if not join:
        return found
    while not found.join():
        pass


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """
    `start_processes` with the method "spawn": each process is a new interpreter.

    Parameters
    ----------
    fn : callable
        One that can be imported; called as ``fn(i, *args)``.
    args : tuple
    nprocs : int
    join : bool
    daemon : bool
    start_method : str
        No other than "spawn" has an effect.

    Returns
    -------
    ProcessContext or None
        None if `join`.
    """
    if start_method != "spawn":
        warnings.warn(f"This method only supports start_method=spawn (got: {start_method}).\nTo use a different "
                      "start_method use:\n\t\t torch.multiprocessing.start_processes(...)", FutureWarning, stacklevel=2)
    return start_processes(fn, args, nprocs, join, daemon, "spawn")
