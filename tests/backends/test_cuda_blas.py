"""If this fails, products on CUDA devices are wrong, or go to cuBLAS in a way that it does not take.

A stand-in for cuBLAS checks every call and computes it (fake_cublas.py); layouts it can't take must be copied first.
"""
import itertools

import cygrad
import fake_cuda
import pytest
from cygrad import cuda

DTYPES = ("float32", "float64", "float16", "bfloat16", "complex64", "complex128")


def numbers(shape, dtype):
    n = 1
    for size in shape:
        n *= size
    values = (cygrad.arange(n) % 7 - 3).to(getattr(cygrad, dtype)).reshape(shape)
    return values * (1 + 2j) if dtype.startswith("complex") else values


def same(ours, expected):
    return cygrad.equal(ours.cpu(), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(computing_gpu, dtype):
    a, b = numbers((5, 4), dtype), numbers((4, 6), dtype)
    assert same(a.cuda() @ b.cuda(), a @ b)
    assert same(cygrad.addmm(numbers((6,), dtype).cuda(), a.cuda(), b.cuda(), beta=2, alpha=3),
                cygrad.addmm(numbers((6,), dtype), a, b, beta=2, alpha=3))
    assert len(computing_gpu.cublas.products) == 2


@pytest.mark.parametrize("m, n, k", list(itertools.product((1, 5), (1, 6), (1, 4))))
def test_shapes_and_transposes_without_copies(computing_gpu, m, n, k):
    for turned_a, turned_b in itertools.product((False, True), repeat=2):
        a = numbers((k, m) if turned_a else (m, k), "float32")
        b = numbers((n, k) if turned_b else (k, n), "float32")
        x, y = a.cuda(), b.cuda()
        made = (x.t() if turned_a else x) @ (y.t() if turned_b else y)
        assert same(made, (a.t() if turned_a else a) @ (b.t() if turned_b else b))
    assert not [launch for launch in computing_gpu.driver.launches if "copy" in launch.name]
    assert len(computing_gpu.cublas.products) == 4


def test_strides_that_cublas_does_not_take(computing_gpu):
    a, b = numbers((6, 9), "float32"), numbers((8, 10), "float32")
    x, y = a.cuda(), b.cuda()
    assert same(x[::2, ::3] @ y[1:4, ::2], a[::2, ::3] @ b[1:4, ::2])
    assert same(x[:, :1].expand(6, 8) @ y, a[:, :1].expand(6, 8) @ b)
    assert same(x[1:, 2:5] @ y[3:6, 1:], a[1:, 2:5] @ b[3:6, 1:])
    assert len(computing_gpu.cublas.products) == 3


def test_batches(computing_gpu):
    a, b = numbers((3, 4, 5), "float32"), numbers((3, 5, 2), "float32")
    x, y = a.cuda(), b.cuda()
    assert same(x @ y, a @ b)
    assert same(x.transpose(1, 2) @ x, a.transpose(1, 2) @ a)
    assert same(x @ y[0], a @ b[0])
    assert same(x[:, ::2, ::2] @ y[:1, ::2], a[:, ::2, ::2] @ b[:1, ::2])
    assert all(product[7] in (1, 3) for product in computing_gpu.cublas.products)


def test_integers_and_bool_stay_with_our_kernels(computing_gpu):
    a, b = numbers((3, 4), "int64"), numbers((4, 2), "int64")
    assert same(a.cuda() @ b.cuda(), a @ b) and not computing_gpu.cublas.products


def test_without_cublas(machine):
    machine(fake_cuda.FakeDriver(), execute=True)
    a, b = numbers((5, 4), "float32"), numbers((4, 6), "float32")
    assert same(a.cuda() @ b.cuda().add(0), a @ b)
    assert same(cygrad.addmm(numbers((6,), "float32").cuda(), a.cuda(), b.cuda()),
                cygrad.addmm(numbers((6,), "float32"), a, b))


def test_tf32_is_a_choice(computing_gpu):
    x, matmul = cygrad.ones(4, 4, device="cuda"), cygrad.backends.cuda.matmul
    products = computing_gpu.cublas.products
    assert matmul.allow_tf32 is False and cygrad.get_float32_matmul_precision() == "highest"
    x @ x
    try:
        matmul.allow_tf32 = True
        assert cygrad.get_float32_matmul_precision() == "high"
        x @ x
        x.double() @ x.double()
        cygrad.set_float32_matmul_precision("highest")
        assert matmul.allow_tf32 is False
        x @ x
        cygrad.set_float32_matmul_precision("medium")
        x @ x
        matmul.allow_fp16_reduced_precision_reduction = False
        x.half() @ x.half()
        x.bfloat16() @ x.bfloat16()
    finally:
        cygrad.set_float32_matmul_precision("highest")
        matmul.allow_fp16_reduced_precision_reduction = True
    assert [product[6] for product in products] == [68, 77, 70, 68, 77, 68, 68]
    assert computing_gpu.cublas.modes == [16, 0]
    with pytest.warns(UserWarning, match="no effect"):
        cygrad.set_float32_matmul_precision("low")
    with pytest.raises(RuntimeError, match="expects a str, but got int"):
        cygrad.set_float32_matmul_precision(3)
    with pytest.raises(AttributeError, match="Unknown attribute allow_tf64"):
        matmul.allow_tf64 = True


def test_products_use_the_current_stream_and_memory_of_their_own(computing_gpu):
    x, s = cygrad.ones(4, 4, device="cuda"), cuda.Stream()
    x @ x
    s.wait_stream(cuda.current_stream())
    with cuda.stream(s):
        y = x @ x
    cuda.current_stream().wait_stream(s)
    assert y.tolist() == [[4] * 4] * 4
    assert [product[8] for product in computing_gpu.cublas.products] == [0, s.cuda_stream]
    (a, size), (b, _) = (computing_gpu.cublas.workspaces[stream] for stream in (0, s.cuda_stream))
    assert a != b and size == 32 << 20


def test_a_refusal_of_cublas_is_said(computing_gpu):
    from cygrad.errors import BackendError
    x = cygrad.ones(4, 4, device="cuda")
    x @ x
    computing_gpu.cublas.fails = 13
    with pytest.raises(BackendError, match="cublasGemmStridedBatchedEx failed: cuBLAS status 13"):
        x @ x
