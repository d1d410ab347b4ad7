"""Faults at random points of random programs: what they are, the program that each rank runs, and what must be seen.

    python tests/distributed/faults.py --count 500 --lanes 2

A fault is drawn from a seed: how many ranks, which calls they make, which rank does what at which of them. Every other
rank must raise within its timeout an error that names that rank and the call it was in, no process may be left, and the
checkpoints that were saved before must be whole. `main` runs so many and prints those that failed.
"""
import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

HERE = Path(__file__).resolve()
TIMEOUT = 6.0           # seconds of the group
LIMIT = 150.0           # seconds after which a program counts as hung
CALLS = ("all_reduce", "large all_reduce", "broadcast", "all_gather", "reduce_scatter", "all_to_all", "barrier",
         "all_gather_object", "asynchronous", "subgroup", "save", "async_save")
SHAPED = ("all_reduce", "large all_reduce", "broadcast", "all_gather", "reduce_scatter", "asynchronous")
DEEDS = ("killed", "killed in the call", "stopped", "raises", "exits", "sleeps", "calls another", "another shape",
         "another dtype", "full disk")


class Fault:
    """One fault; the same on all ranks, from its seed."""

    def __init__(self, seed):
        choose = random.Random(seed)
        self.seed, self.ranks = seed, choose.choice((2, 2, 3, 3, 4))
        self.deed, self.victim = DEEDS[seed % len(DEEDS)], choose.randrange(self.ranks)
        self.calls = ["save", *(choose.choice(CALLS) for _ in range(choose.randrange(2, 8)))]
        self.point = choose.randrange(1, len(self.calls))
        self.delay = choose.random() * 0.004
        if self.deed == "full disk":
            self.calls[self.point] = choose.choice(("save", "async_save"))
        elif self.deed.startswith("another"):
            self.calls[self.point] = choose.choice(SHAPED)
        elif self.deed == "calls another":
            self.calls[self.point] = choose.choice(SHAPED[:5])
        self.calls.append("barrier")

    def __str__(self):
        return f"seed {self.seed}: rank {self.victim} of {self.ranks} {self.deed} at {self.point} of {self.calls}"


# ---------------------------------------------------------------------- what each rank runs

class Program:
    """A rank's part."""

    def __init__(self, fault, folder):
        import cygrad
        import cygrad.distributed as dist
        import cygrad.distributed.checkpoint as dcp
        self.fault, self.folder, self.cygrad, self.dist, self.dcp = fault, folder, cygrad, dist, dcp
        dist.init_process_group("gloo", timeout=timedelta(seconds=LIMIT / 2))       # a busy machine begins slowly
        dist.group.WORLD.timeout = timedelta(seconds=TIMEOUT)
        self.rank, self.size = dist.get_rank(), dist.get_world_size()
        self.group = dist.new_group(timeout=timedelta(seconds=TIMEOUT))
        self.dtype, self.rows, self.saved = cygrad.float32, 3, 0

    def say(self, **words):
        sys.stdout.write("SAID " + json.dumps(dict(words, rank=self.rank)) + "\n")
        sys.stdout.flush()

    def run(self):
        """The calls in order; what ends them is told."""
        fault = self.fault
        self.say(pid=os.getpid())
        begun = time.monotonic()
        for number, call in enumerate(fault.calls):
            at_fault = number == fault.point and self.rank == fault.victim
            if at_fault:
                call = self.misbehave(call)
            begun = time.monotonic()
            try:
                self.call(call)
            except (self.dist.DistBackendError, self.dcp.CheckpointException) as error:
                self.say(told=str(error), kind=type(error).__name__, call=call, seconds=time.monotonic() - begun)
                if fault.deed in ("full disk", "calls another", "another shape", "another dtype") \
                        and number == fault.point:
                    self.recover()                                      # the group goes on
                    continue
                raise
            if at_fault:
                self.recover()

    def misbehave(self, call):
        """What the rank at fault does; the call that it makes then."""
        deed = self.fault.deed
        if deed == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        elif deed == "killed in the call":
            threading.Timer(self.fault.delay, os.kill, (os.getpid(), signal.SIGKILL)).start()
            self.call(call)
            time.sleep(LIMIT)                   # it was killed in the call, or before the others' next one
        elif deed == "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        elif deed == "raises":
            raise ValueError("a fault of this program")
        elif deed == "exits":
            sys.exit(3)
        elif deed == "sleeps":
            time.sleep(LIMIT)
        elif deed == "another shape":
            self.rows = 4
        elif deed == "another dtype":
            self.dtype = self.cygrad.float64
        elif deed == "calls another":
            return SHAPED[(SHAPED[:5].index(call) + 2) % 5]
        elif deed == "full disk":
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        return call

    def recover(self):
        """Do as the others do again."""
        self.dtype, self.rows = self.cygrad.float32, 3
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.getrlimit(resource.RLIMIT_FSIZE)[1],) * 2)

    def call(self, name):
        """One of CALLS."""
        dist, size = self.dist, self.size
        own = self.cygrad.ones(self.rows * size, dtype=self.dtype)
        if name == "all_reduce":
            dist.all_reduce(own)
        elif name == "large all_reduce":
            dist.all_reduce(own.repeat(20_000))
        elif name == "broadcast":
            dist.broadcast(own, size - 1)
        elif name == "all_gather":
            dist.all_gather([self.cygrad.empty_like(own) for _ in range(size)], own)
        elif name == "reduce_scatter":
            dist.reduce_scatter_tensor(own[:self.rows].clone(), own)
        elif name == "all_to_all":
            dist.all_to_all_single(self.cygrad.empty_like(own), own)
        elif name == "barrier":
            dist.barrier()
        elif name == "all_gather_object":
            dist.all_gather_object([None] * size, "x" * self.rank)
        elif name == "asynchronous":
            for work in [dist.all_reduce(own.clone(), async_op=True) for _ in range(3)]:
                work.wait()
        elif name == "subgroup":
            dist.all_reduce(own, group=self.group)
        else:
            self.save(name)

    def save(self, name):
        place = os.path.join(self.folder, str(self.saved))
        self.saved += 1
        state = {f"weight {i}": self.cygrad.full((50,), float(self.saved)) for i in range(2 * self.size)}
        if name == "save":
            self.dcp.save(state, checkpoint_id=place)
        else:
            self.dcp.async_save(state, checkpoint_id=place).result()


# ---------------------------------------------------------------------- what must be seen

def is_running(pid):
    """Whether a process is there and not at its end."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def complaints(fault):
    """Run a fault; what of the things that must be seen was not."""
    with tempfile.TemporaryDirectory() as folder:
        launcher = [sys.executable, "-m", "cygrad.distributed.run", "--nproc-per-node", str(fault.ranks)]
        command = [*launcher, "--grace", "12", str(HERE), "--seed", str(fault.seed), "--folder", folder]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.terminate()
            out, err = process.communicate()
            return [f"hung for {LIMIT:g} s\n{out}{err}"]
        said = [json.loads(line[5:]) for line in out.split("\n") if line.startswith("SAID ")]
        found = list(_seen(fault, said, err, process.returncode)) + list(_whole(fault, folder))
        left = [each["pid"] for each in said if "pid" in each and is_running(each["pid"])]
        if left:
            found.append(f"processes {left} are left")
        return [*found, out + err] if found else []


def _seen(fault, said, err, code):
    told = {}
    for each in said:
        if "told" in each:
            told.setdefault(each["rank"], each)
    goes_on = fault.deed in ("full disk", "calls another", "another shape", "another dtype")
    for rank in range(fault.ranks):
        if rank == fault.victim and not goes_on:
            continue
        if rank not in told:
            yield f"rank {rank} was told nothing"
            continue
        text = told[rank]["told"]
        if f"rank {fault.victim}" not in text and not (
                "ranks" in text and str(fault.victim) in text.partition("mismatch")[2]):
            yield f"rank {rank} was not told of rank {fault.victim}: {text}"
        if told[rank]["seconds"] > 2 * TIMEOUT + 5:
            yield f"rank {rank} was told after {told[rank]['seconds']:.1f} s"
        if "(" not in text and "checkpoint" not in text:
            yield f"rank {rank} was not told of the call: {text}"
    if goes_on and code != 0:
        yield f"exit code {code}, though the group goes on"
    if not goes_on and (code == 0 or "failed first" not in err):
        yield f"exit code {code}; who failed first is not said"


def _whole(fault, folder):
    """Checkpoints that were saved before can be read."""
    import cygrad
    import cygrad.distributed.checkpoint as dcp
    before = sum(call in ("save", "async_save") for call in fault.calls[:fault.point])
    for number in range(before):
        state = {f"weight {i}": cygrad.zeros(50) for i in range(2 * fault.ranks)}
        try:
            dcp.load(state, checkpoint_id=os.path.join(folder, str(number)), no_dist=True)
        except dcp.CheckpointException as error:
            yield str(error)
            continue
        if any(not (each == number + 1).all() for each in state.values()):
            yield f"checkpoint {number} has other values than were saved"


def main():
    """Run faults, or, with --folder, be a rank of one."""
    made = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    made.add_argument("--count", type=int, default=500)
    made.add_argument("--seed", type=int, default=0, help="of the first")
    made.add_argument("--lanes", type=int, default=1, help="how many are run at a time")
    made.add_argument("--seconds", type=float, default=float("inf"), help="begin no other after this")
    made.add_argument("--folder", help="be a rank, and save checkpoints here")
    options = made.parse_args()
    if options.folder:
        Program(Fault(options.seed), options.folder).run()
        return 0
    until, failed, done = time.monotonic() + options.seconds, [], []

    def one(seed):
        if time.monotonic() > until:
            return
        fault = Fault(seed)
        found = complaints(fault)
        done.append(fault.deed)
        if found:
            failed.append(seed)
            print(f"{fault}\n  " + "\n".join(found).replace("\n", "\n  "), flush=True)

    with ThreadPoolExecutor(options.lanes) as pool:
        list(pool.map(one, range(options.seed, options.seed + options.count)))
    counts = ", ".join(f"{deed} {done.count(deed)}" for deed in DEEDS)
    print(f"{len(done)} faults ({counts}), {len(failed)} failed: {failed}", flush=True)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
