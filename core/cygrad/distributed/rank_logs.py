"""Where a rank's output goes, by torchrun's flags `--log-dir`, `--redirects`, `--tee` and `--local-ranks-filter`.

The launcher puts its wishes into a variable; each rank opens its files under ``DIR/RUN/attempt_N/LOCAL_RANK`` before
its script begins. What goes both ways is copied by the rank's parent (`rank_process.py`), which outlives it.
"""
import json
import os
import tempfile
import threading

__all__ = ["Outputs", "wishes"]

VARIABLE = "CYGRAD_RANK_LOGS"
STREAMS = (("stdout", 1), ("stderr", 2))        # name, and both the handle and the flag's number


def per_rank(text, flag):
    """{local rank: number of streams} of ``"3"`` or ``"0:1,1:3"``; the key None is that of all others."""
    found = {}
    for part in filter(None, str(text).split(",")):
        rank, _, streams = part.rpartition(":")
        if not streams.isdigit() or int(streams) > 3 or (rank and not rank.isdigit()):
            raise SystemExit(f"--{flag}: expected 0 (none), 1 (stdout), 2 (stderr) or 3 (both), or such as 0:1,1:3, "
                             f"but got {text!r}")
        found[rank or None] = int(streams)
    return found


def wishes(options, attempt):
    """What the ranks of an attempt are told, by the launcher's options: {name of a variable: its text}."""
    redirects, tee = per_rank(options.redirects, "redirects"), per_rank(options.tee, "tee")
    shown = [part for part in (options.local_ranks_filter or "").split(",") if part]
    if any(not part.isdigit() for part in shown):
        raise SystemExit(f"--local-ranks-filter: expected such as 0,2, but got {options.local_ranks_filter!r}")
    if not (any(redirects.values()) or any(tee.values()) or shown):
        return {}
    if options.log_dir is not None:
        os.makedirs(options.log_dir, exist_ok=True)
    if getattr(options, "log_folder", None) is None:       # one for all attempts
        options.log_folder = tempfile.mkdtemp(prefix=f"{options.rdzv_id or 'none'}_", dir=options.log_dir)
    folder = os.path.join(os.path.abspath(options.log_folder), f"attempt_{attempt}")
    return {VARIABLE: json.dumps({"folder": folder, "redirects": redirects, "tee": tee, "shown": shown})}


class Outputs:
    """
    A rank's files, opened before its process is divided into the script's and its parent.

    Parameters
    ----------
    local_rank : int
    can_copy : bool
        There will be a parent that copies; else what should go both ways goes to the file.
    """

    def __init__(self, local_rank, can_copy):
        self.new, self.pumps, self.threads = {}, [], []
        if VARIABLE not in os.environ:
            return
        told, rank = json.loads(os.environ[VARIABLE]), str(local_rank)
        folder = os.path.join(told["folder"], rank)
        hidden = bool(told["shown"]) and rank not in told["shown"]
        for name, number in STREAMS:
            both = self._wished(told["tee"], rank, number)
            if both or self._wished(told["redirects"], rank, number):
                os.makedirs(folder, exist_ok=True)
                file = os.open(os.path.join(folder, f"{name}.log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
                if both and not hidden and can_copy:
                    source, self.new[number] = os.pipe()
                    self.pumps.append((source, (file, number)))
                else:
                    self.new[number] = file
            elif hidden:
                self.new[number] = os.open(os.devnull, os.O_WRONLY)

    @staticmethod
    def _wished(told, rank, number):
        return bool(told.get(rank, told.get("null", 0)) & number)

    def take(self):
        """In the script's process: write there from now on."""
        for number, handle in self.new.items():
            os.dup2(handle, number)
            os.close(handle)
        for source, (file, _) in self.pumps:
            os.close(source)
            os.close(file)

    def copy(self):
        """In its parent: copy what comes, in threads."""
        for handle in self.new.values():
            os.close(handle)
        for source, targets in self.pumps:
            self.threads.append(threading.Thread(target=pump, args=(source, targets)))
            self.threads[-1].start()

    def end(self):
        """In its parent: wait until everything is copied."""
        for thread in self.threads:
            thread.join(10)


def pump(source, targets):
    """Copy until the source's other end is closed."""
    while data := os.read(source, 65536):
        for target in targets:
            view = memoryview(data)
            while view:
                view = view[os.write(target, view):]
