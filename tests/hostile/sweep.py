"""Calls everything public with arguments from the zoo, in child processes: what kills or hangs one has a name.

    python tests/hostile/sweep.py COUNT [SEED]    prints each call that ended its process or took too long

A child says on a shared page which case it begins; cases come from a seed, so each can be made again by its number.
"""
import faulthandler
import inspect
import mmap
import os
import random
import resource
import signal
import struct
import sys
import time
import types
import warnings

import cygrad
import zoo

PATIENCE = 20           # seconds for one call
MEMORY = 6 << 30        # bytes of address space beyond what the process has
DEPTH = 3               # of nested arguments that are looked into
# They wait, end the process, write files or change how all later calls behave; other tests have them.
EXCLUDED = set("""
    save load set_num_threads set_num_interop_threads set_default_device set_default_tensor_type set_default_dtype
    set_printoptions set_fallback synchronize seed set_rng_state share_memory_ from_file breakpoint
    set_detect_anomaly set_grad_enabled set_warn_always spawn start_processes""".split())
OF_EVERY_OBJECT = "__class__", "__del__", "__init_subclass__", "__subclasshook__", "__getattribute__"
KEYWORDS = "dim out dtype keepdim device size other input alpha n generator requires_grad inplace".split()
MODULES = """
    cygrad cygrad.linalg cygrad.special cygrad.nn.functional cygrad.nn.init cygrad.autograd cygrad.autograd.functional
    cygrad.nn.utils cygrad.fft cygrad.signal.windows cygrad.func cygrad.utils.dlpack cygrad.array_api cygrad.nn
    cygrad.optim cygrad.autograd.graph cygrad.autograd.forward_ad""".split()


def callables():
    """(name, function) of what a user can call: functions, classes, and methods of a tensor."""
    found = {}
    for path in MODULES:
        try:
            module = __import__(path, fromlist=["*"])
        except ImportError:
            continue
        for name in dir(module):
            value = getattr(module, name)
            if name.startswith("_") or name in EXCLUDED or isinstance(value, types.ModuleType) or not callable(value):
                continue
            found[f"{path}.{name}"] = value
    for owner, kind in zoo.OWNERS.items():
        for name in dir(kind):
            if name not in EXCLUDED and name not in OF_EVERY_OBJECT and callable(getattr(kind, name, None)):
                found[f"{owner}.{name}"] = getattr(kind, name)
    return sorted(found.items())


def case(functions, seed, number):
    """(name, function, positional arguments, keyword arguments) of one case."""
    rng = random.Random(f"{seed} {number}")
    name, function = functions[rng.randrange(len(functions))]
    args = [zoo.argument(rng) for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5]))]
    owner = name.rpartition(".")[0]
    if owner in zoo.OWNERS and rng.random() < 0.95:
        args.insert(0, zoo.owned(rng, owner))
    kwargs = {}
    if rng.random() < 0.3:
        kwargs[rng.choice(KEYWORDS)] = zoo.argument(rng)
    if len(args) > 1 and rng.random() < 0.1:
        args[rng.randrange(len(args))] = rng.choice([
            zoo.Shrinks(args[0]), zoo.Changes(args[0], rng.choice([0, 1, 2, -1]), rng.choice(zoo.Changes.WAYS))])
    return name, function, args, kwargs


def run(functions, seed, first, count, page):
    """The child: cases from `first` on, each number written down before it begins; a result is printed, too."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not os.environ.get("CYGRAD_DEBUG", "").strip("0"):           # AddressSanitizer reserves terabytes
        used = address_space()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    warnings.simplefilter("ignore")
    faulthandler.disable()
    sys.setrecursionlimit(2000)
    cygrad.cpu.set_num_threads(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    for number in range(first, count):
        page[:8] = struct.pack("q", number)
        try:
            _, function, args, kwargs = case(functions, seed, number)
            result = function(*args, **kwargs)
            if not isinstance(result, types.GeneratorType):
                text(result)
        except Exception:
            pass
        finally:
            function = args = kwargs = result = None
            if not cygrad.is_grad_enabled():
                cygrad.set_grad_enabled(True)
    page[:8] = struct.pack("q", count)
    os._exit(0)


def address_space():
    """Bytes of it that this process has."""
    if not os.path.exists("/proc/self/statm"):
        return 4 << 30
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE")


def text(result):
    """Print what came back, if it is small."""
    if isinstance(result, cygrad.Tensor) and result.numel() < 10_000:
        repr(result)


def sweep(count, seed=0, functions=None, first=0):
    """What ended or hung a child: a list of (case's number, what happened, call)."""
    functions = functions or callables()
    page, problems = mmap.mmap(-1, 8), []
    while first < count:
        page[:8] = struct.pack("q", first)
        child = os.fork()
        if not child:
            try:
                run(functions, seed, first, count, page)
            finally:
                os._exit(99)
        ended = watch(child, page)
        number = struct.unpack("q", page[:8])[0]
        if number >= count:
            break
        if ended:
            large, call = describe(functions, seed, number)
            if not (large and ended.startswith("took")):            # a sum of 2**62 elements may take its time
                problems.append((number, ended, call))
        first = number + 1
    return problems


def watch(child, page):
    """Wait until a child ends or stays at one case for too long; what happened, in words."""
    last, since = -1, time.monotonic()
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            if os.WIFSIGNALED(status):
                return signal.Signals(os.WTERMSIG(status)).name
            return f"exit {os.WEXITSTATUS(status)}" if os.WEXITSTATUS(status) else ""
        now = struct.unpack("q", page[:8])[0]
        if now != last:
            last, since = now, time.monotonic()
        elif time.monotonic() - since > PATIENCE:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return f"took over {PATIENCE} s"
        time.sleep(0.02)


def describe(functions, seed, number):
    """(whether a tensor of the case is large, the call in words), made in a child of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            name, _, args, kwargs = case(functions, seed, number)
            words = [brief(each) for each in args] + [f"{key}={brief(value)}" for key, value in kwargs.items()]
            large = any(is_large(each) for each in [*args, *kwargs.values()])
            os.write(writing, f"{large:d}{name}({', '.join(words)})"[:2000].encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as file:
        words = file.read().decode(errors="replace")
    return words[:1] == "1", words[1:]


def is_large(value, depth=0):
    """Whether going over all elements takes long. Lists of the zoo may hold one another."""
    if isinstance(value, (list, tuple)) and len(value) < 8:
        return depth < DEPTH and any(is_large(each, depth + 1) for each in value)
    value = getattr(value, "victim", value)
    try:
        return isinstance(value, cygrad.Tensor) and value.numel() >= 1 << 20
    except Exception:
        return False


def brief(value, depth=0):
    """An argument in a few characters."""
    if isinstance(value, cygrad.Tensor):
        try:
            return f"<{value.dtype} {tuple(value.shape)} {value.stride()}{' grad' if value.requires_grad else ''}>"
        except Exception:
            return "<bare tensor>"
    if isinstance(value, (list, tuple)) and len(value) < 6:
        inside = ", ".join(brief(each, depth + 1) for each in value) if depth < DEPTH else "..."
        return f"{type(value).__name__}[{inside}]"[:300]
    if inspect.isroutine(value) or type(value).__module__ == "zoo" or isinstance(value, (list, tuple)):
        return f"<{type(value).__name__}>"
    return repr(value)[:80]


if __name__ == "__main__":
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for number, ended, call in sweep(int(sys.argv[1]), seed):
        print(number, ended, call, flush=True)
