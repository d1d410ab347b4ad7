"""Fourier transforms, and those of moving windows."""

from .table import COMPLEX, REAL, ErrorSample, Op, Sample as S

ROUNDING = "sums of other orders, as the algorithms differ"
OPS = []
LAYOUTS = ("contiguous", "transposed", "sliced", "offset", "expanded")
TAKES = {"rfft": REAL + ("int64", "bool"), "ihfft": REAL + ("int64", "bool")}


def op(name, samples, **kwargs):
    kwargs.setdefault("method", False)
    OPS.append(Op(name, samples, tolerance=30.0, reason=ROUNDING, **kwargs))


def one_axis(make):
    for layout in LAYOUTS:
        yield S(make(3, 5, layout=layout))
    yield S(make(3, 5), dim=0, norm="ortho")
    yield S(make(4, 5, 3), 4, 1, "forward")
    yield S(make(4, 5), n=9, norm="backward")
    yield S(make(2, 1))
    yield S(make(2, 3), n=1)
    yield S(make(2, 3), n=0)
    yield S(make(3), dim=1)
    yield S(make(3), norm="none")


def two_axes(make):
    for layout in LAYOUTS:
        yield S(make(3, 5, layout=layout))
    yield S(make(3, 4, 5), dim=(0, 2), norm="ortho")
    yield S(make(3, 4, 5), (2, 7), (1, 0), "forward")
    yield S(make(3, 4), s=(4, -1))
    yield S(make(3, 4), s=(4,))
    yield S(make(3))


def several_axes(make):
    yield S(make(4, 3, 5))
    yield S(make(4, 3, 5, layout="permuted"), dim=(2, 0))
    yield S(make(4, 3, 5), s=(3, 6), norm="ortho")
    yield S(make(4, 3, 5), (3, 2), (0, -1), "forward")
    yield S(make(3, 4))
    yield S(make(3, 4), dim=(0, 0))
    yield S(make(3, 4), s=(1, 2, 3))
    yield S(make(3), dim=())


REFUSED = [ErrorSample(lambda m, d=d: m.fft.fft(m.ones(4, dtype=getattr(m, d))), d) for d in ("float16", "bfloat16")]
for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    dtypes = TAKES.get(name, REAL + COMPLEX + ("int64", "bool"))
    for form, samples in (("", one_axis), ("2", two_axes), ("n", several_axes)):
        op(f"fft.{name}{form}", samples, dtypes=dtypes, errors=REFUSED if name + form == "fft" else (),
           out=name + form not in ("ihfft2", "ihfftn"),     # PyTorch leaves `out` as it was
           strides=name not in ("ifft", "ihfft") or form != "")      # PyTorch's are a lazy conjugate's, out= has others
for name in ("fftshift", "ifftshift"):
    op("fft." + name, lambda make: [S(make(4, 5)), S(make(3, 4, layout="transposed"), dim=0), S(make(2, 3, 4), (0, -1)),
        S(make(3), 1), S(make())], dtypes=REAL + COMPLEX + ("int64",), exact=True)  # fmt: skip
for name in ("fftfreq", "rfftfreq"):
    op("fft." + name, lambda make: [S(n, dtype=make.D) for n in (1, 2, 5, 8)] + [S(7, 0.25), S(4, d=2.0, dtype=make.D)],
       dtypes=REAL + ("int64",), diff=False)  # fmt: skip


def windowed(make):
    real = {"window": make(6, low=0.5, high=1, grad=False), "return_complex": True}
    if make.is_complex:
        real["window"] = make(6, low=0.5, high=1, grad=False, dtype={"complex64": "float32"}.get(make.dtype, "float64"))
    yield S(make(2, 20), 6, **real)
    yield S(make(17), 6, 2, 6, **real, pad_mode="constant", normalized=True)
    yield S(make(2, 20, layout="sliced"), 8, 3, 6, **real, center=False)
    yield S(make(2, 20), 6, **real, onesided=False)
    for mode in ("replicate", "circular", "none"):
        yield S(make(2, 9), 6, **real, pad_mode=mode)
    yield S(make(2, 20), 6, 0, **real)
    yield S(make(2, 20), 6, 2, 7, **real)
    yield S(make(2, 20), 30, center=False, **real)
    yield S(make(3), 6, **real)


def frames(make):
    real = make(6, low=0.5, high=1, grad=False, dtype={"complex64": "float32"}.get(make.dtype, "float64"))
    yield S(make(2, 4, 7), 6, window=real)
    yield S(make(4, 7), 6, 2, 6, real, normalized=True)
    yield S(make(2, 5, 7), 8, 3, 6, real, length=12)
    yield S(make(2, 6, 7), 6, window=real, onesided=False, return_complex=True)
    yield S(make(2, 4, 7), 8, window=real)
    yield S(make(2, 4, 7), 6, 7, window=real)
    yield S(make(2, 0, 7), 6, window=real)


op("stft", windowed, dtypes=REAL + COMPLEX, method=True)
op("istft", frames, dtypes=COMPLEX, method=True)
