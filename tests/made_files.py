"""Files made from a small writer of pickles and archives, so that each can say anything; what loading them ends in."""
import io
import resource
import struct
import time
import zipfile
from collections import OrderedDict

import cygrad

ERRORS = (cygrad.serialization.UnpicklingError, RuntimeError, EOFError)
LONGEST = 2.0       # seconds for one load; all but the deepest nests take milliseconds


def archive(text, storages=(), root="archive", compression=zipfile.ZIP_STORED, extra=()):
    """A file with this pickle and the storages {key: bytes}."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as out:
        out.writestr(f"{root}/data.pkl", text)
        out.writestr(f"{root}/byteorder", "little")
        for key, content in dict(storages).items():
            out.writestr(f"{root}/data/{key}", content)
        for name, content in extra:
            out.writestr(name, content)
    return file.getvalue()


def name(module, attribute):
    return b"c" + f"{module}\n{attribute}\n".encode()


def value(x):
    """The opcodes of a plain value; bytes are taken to be opcodes already."""
    if isinstance(x, bytes):
        return x
    if x is None or x is True or x is False:
        return {None: b"N", True: b"\x88", False: b"\x89"}[x]
    if isinstance(x, int):
        content = x.to_bytes(x.bit_length() // 8 + 1, "little", signed=True)
        return b"\x8a" + bytes([len(content)]) + content
    if isinstance(x, float):
        return b"G" + struct.pack(">d", x)
    if isinstance(x, str):
        return b"X" + struct.pack("<I", len(x.encode())) + x.encode()
    if isinstance(x, tuple):
        return b"(" + b"".join(map(value, x)) + b"t"
    if isinstance(x, list):
        return b"](" + b"".join(map(value, x)) + b"e"
    return b"}(" + b"".join(value(k) + value(v) for k, v in x.items()) + b"u"


def call(function, *arguments):
    return function + value(arguments) + b"R"


def storage(kind="FloatStorage", key="0", location="cpu", count=6):
    return value(("storage", name("torch", kind), key, location, count)) + b"Q"


NO_HOOKS = call(name("collections", "OrderedDict"))


def tensor(offset=0, size=(2, 3), stride=(3, 1), requires_grad=False, hooks=NO_HOOKS, what=None, **where):
    return call(name("torch._utils", "_rebuild_tensor_v2"), what or storage(**where), offset, size, stride,
                requires_grad, hooks)


NUMBERS = {"0": struct.pack("<6f", *range(6))}


def pickled(body, storages=NUMBERS, **options):
    return archive(b"\x80\x02" + body + b".", storages, **options)


def whole_file():
    """A file with one of everything."""
    x = cygrad.arange(12.).reshape(3, 4)
    content = {"x": x, "t": x.t(), "row": x[1], "w": cygrad.ones(2, dtype=cygrad.float64, requires_grad=True),
               "more": [cygrad.tensor([True, False]), (1, -2.5, None, "text", 2**70, 1j, b"ab"), {3, 4}],
               "map": OrderedDict(size=x.shape, dtype=cygrad.bfloat16, device=x.device), "empty": cygrad.ones(0, 3)}
    file = io.BytesIO()
    cygrad.save(content, file)
    return file.getvalue()


def outcome(content):
    """What load makes of a file: a value or one of the errors it may raise."""
    start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        return cygrad.load(io.BytesIO(content))
    except ERRORS as error:
        return error
    finally:
        assert time.process_time() - start < LONGEST
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000     # KB
