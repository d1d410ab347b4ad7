"""If this fails, a program that runs for long needs more and more memory, or one that asks for too much breaks.

Memory is measured as the process's resident set, so that blocks lost by any layer count; what the tensors hold is
asked of the allocator too.
"""

import gc
import os
import sys
import weakref

import cygrad
import numpy
import pytest
from cygrad import cpu

STATM = "/proc/self/statm"
# Bytes the interpreter and the system's allocator may wander; AddressSanitizer also keeps what was freed for a while.
SLACK = (32 if os.environ.get("CYGRAD_DEBUG", "0") not in ("", "0") else 4) << 20


def resident():
    """Bytes of memory the process has in use."""
    if not os.path.exists(STATM):
        pytest.skip(f"measures the resident set with {STATM}, which this system hasn't")
    with open(STATM) as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def assert_flat(work, times):
    """`work` repeated leaves the process as large as a tenth of it did, and holds no tensor."""
    for _ in range(times // 10):
        work()
    gc.collect()
    size, held = resident(), cpu.memory_allocated()
    for _ in range(times):
        work()
    gc.collect()
    assert cpu.memory_allocated() <= held
    assert resident() <= size + SLACK


def arithmetic(a, b):
    return a + b, a * 2, -a, a / b, a.exp(), a.add(b, alpha=3), a @ b.mT, (a - b).abs_(), 1 - a, a.sigmoid()


def views(a, b):
    return (a.view(20), a.t(), a[1], a[:, 1:3], a[..., None], a.unbind(), a.chunk(2), a.expand(2, 4, 5), a.detach(),
            a.flatten())  # fmt: skip


def indexing(a, b):
    a[1, 2] = 1.0
    a[2] = b[2]
    columns = cygrad.tensor([1, 3])
    return (a[a > 0.5], a[[0, 2]], a[:, columns], a[1, 2].item(), a.index_select(1, columns),
            a.gather(1, cygrad.zeros(4, 1, dtype=cygrad.int64)), a.tolist())  # fmt: skip


def reductions(a, b):
    return a.sum(), a.mean(0), a.max(1), a.argmin(), a.std(), a.cumsum(0), a.softmax(1), a.sort(), a.norm(), a.any()


def comparison(a, b):
    return (a == b, a < 0.5, a.eq(b).all(), cygrad.where(a > b, a, b), a.isnan(), a.equal(b), bool(a[0, 0] > 2),
            cygrad.maximum(a, b), a.clamp(0.2, 0.8), (a > 0.5) & (b > 0.5))  # fmt: skip


@pytest.mark.parametrize("ops", [arithmetic, views, indexing, reductions, comparison])
def test_a_million_small_ops(ops):
    a, b = cygrad.rand(4, 5), cygrad.rand(4, 5)
    assert_flat(lambda: ops(a, b), 20_000)  # ten ops each, five kinds: a million


def regression():
    x, weight, bias = cygrad.rand(16, 3), cygrad.zeros(3, requires_grad=True), cygrad.zeros(1, requires_grad=True)
    target = x @ cygrad.tensor([1.0, -2.0, 3.0]) + 0.5
    parameters = weight, bias
    return parameters, lambda: ((x @ weight + bias - target) ** 2).mean()


def mlp():
    x, target = cygrad.rand(16, 4), cygrad.randint(0, 3, (16,))
    parameters = [cygrad.randn(*size).mul(0.3).requires_grad_() for size in ((4, 8), (8,), (8, 3), (3,))]

    def loss():
        hidden = (x @ parameters[0] + parameters[1]).relu()
        scores = (hidden @ parameters[2] + parameters[3]).log_softmax(1)
        return -scores.gather(1, target[:, None]).mean()

    return parameters, loss


@pytest.mark.parametrize("model", [regression, mlp])
@pytest.mark.parametrize("forget", ["to None", "to zero"])
def test_ten_thousand_training_steps(model, forget):
    parameters, loss = model()
    losses = []

    def step():
        value = loss()
        value.backward()
        with cygrad.no_grad():
            for p in parameters:
                p -= 0.05 * p.grad
                if forget == "to None":
                    p.grad = None
                else:
                    p.grad.zero_()
        losses[1 if losses else 0 :] = [value.item()]

    assert_flat(step, 10_000)
    assert losses[1] < losses[0] / 2


def hook_on_a_result():
    x = cygrad.ones(3, requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: grad * y)
    y.sum().backward()
    return x, y


def hook_on_a_leaf():
    x = cygrad.ones(3, requires_grad=True)
    x.register_hook(lambda grad: grad * x)
    y = x * 2
    y.sum().backward()
    return x, y


def hook_on_a_node():
    x = cygrad.ones(3, requires_grad=True)
    y = x.exp()
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] + y.sum(),))
    y.grad_fn.metadata["result"] = y
    y.sum().backward()
    return x, y


def hook_after_accumulation():
    x = cygrad.ones(3, requires_grad=True)

    def hook(leaf):                             # must return None, as in PyTorch
        leaf.grad.mul_(x.detach())
    x.register_post_accumulate_grad_hook(hook)
    y = x * 2
    y.sum().backward()
    return x, y


def gradient_with_a_graph():
    x = cygrad.ones(3, requires_grad=True)
    y = x.exp()
    y.sum().backward(create_graph=True)  # x.grad's graph leads to x
    return x, y


def attribute():
    x = cygrad.ones(3, requires_grad=True)
    y = x * 2
    x.result = y
    return x, y


def retained():
    x = cygrad.ones(3, requires_grad=True)
    y = x.exp()
    y.retain_grad()
    (y * y).sum().backward(retain_graph=True)
    y.grad.owner = y
    return x, y


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("build", [hook_on_a_result, hook_on_a_leaf, hook_on_a_node, hook_after_accumulation,
                                   gradient_with_a_graph, attribute, retained])
def test_cycles_are_freed(build):
    gc.collect()
    held = cpu.memory_allocated()
    references = [weakref.ref(t) for t in build()]
    gc.collect()
    assert [reference() for reference in references] == [None, None]
    assert cpu.memory_allocated() == held


FAILURES = {
    "shapes": lambda x: x + cygrad.ones(4),
    "products": lambda x: x @ cygrad.ones(4, 2),
    "index": lambda x: x[7],
    "index tensor": lambda x: x[cygrad.tensor([0, 9])],
    "view": lambda x: x.view(2, 2),
    "dtype": lambda x: x.long() @ x,
    "axis": lambda x: x.sum(3),
    "argument": lambda x: x.add(cygrad),
    "in place": lambda x: x.add_(1),
    "scalar": lambda x: (x * 2).item(),
    "backward": lambda x: (x * 2).backward(),
    "changed": lambda x: changed(x.exp()),
    "hook": lambda x: with_hook(x * 2),
    "data": lambda x: cygrad.tensor([[1.0, 2.0], [3.0]]),
    "allocation": lambda x: x.expand(10**15, 3) + 1,
    "singular": lambda x: cygrad.linalg.inv(cygrad.zeros(3, 3)),
}


def changed(y):
    loss = (y * y).sum()
    y.detach().zero_()
    loss.backward()


def with_hook(y):
    y.register_hook(lambda grad: 1 / 0)
    y.sum().backward()


@pytest.mark.parametrize("name", FAILURES)
def test_failed_ops_leak_nothing(name):
    x = cygrad.ones(3, requires_grad=True)

    def fail():
        try:
            FAILURES[name](x)
        except (RuntimeError, TypeError, IndexError, ValueError, ZeroDivisionError):
            return
        raise AssertionError("it did not fail")

    assert_flat(fail, 10_000)


def test_a_chain_of_a_million_ops():
    x = cygrad.tensor(1.0, requires_grad=True)
    held = cpu.memory_allocated()
    y = x
    for _ in range(1_000_000):
        y = y + 1.0
    assert y.item() == 1_000_001
    y.backward()
    assert x.grad.item() == 1
    del y
    x.grad = None
    assert cpu.memory_allocated() == held


@pytest.mark.parametrize("ask", [
    lambda one: cygrad.empty(10**15),
    lambda one: cygrad.zeros(10**8, 10**7, dtype=cygrad.int8),
    lambda one: cygrad.rand(10**15),
    lambda one: cygrad.arange(10**15),
    lambda one: one.expand(10**15) + 1,
    lambda one: one.expand(10**15).clone(),
    lambda one: one.repeat(10**15),
    lambda one: one.resize_(10**15),
    lambda one: cygrad.empty(10**10, 10**10),
    lambda one: cygrad.tensor(range(2**62)),
], ids=["empty", "zeros", "rand", "arange", "add", "clone", "repeat", "resize_", "overflow", "range"])
def test_what_no_memory_can_hold_is_refused(ask):
    one = cygrad.tensor([3.0])
    gc.collect()
    stats, size = cpu.memory_stats(), resident()
    with pytest.raises(RuntimeError):
        ask(one)
    gc.collect()
    assert cpu.memory_allocated() == stats["allocated"]
    assert one.tolist() == [3.0] and one.shape == (1,) and one.untyped_storage().nbytes() == 4
    assert resident() <= size + SLACK
    assert (cygrad.ones(1000) + 1).sum() == 2000


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
def test_an_array_keeps_the_memory_it_shares():
    """A storage that grows has other memory; NumPy's arrays know only where it was."""
    x = cygrad.ones(3)
    array = x.numpy()
    for grow in (lambda x: x.resize_(100_000), lambda x: cygrad.add(cygrad.ones(100_000), 1, out=x.detach()),
                 lambda x: x.view(-1).resize_(4)):
        with pytest.raises(RuntimeError, match="storage that is not resizable"):
            grow(x)
    x.resize_(2).fill_(7)
    assert array.tolist() == [7, 7, 1]
    del x
    others = [cygrad.zeros(3) for _ in range(100)]
    array[:] = 5
    assert all(other.sum().item() == 0 for other in others)


# ------------------------------------------------------------------ sizes, ranks and overlaps that would leave memory

@pytest.mark.parametrize("call, words", [
    (lambda: cygrad.ones(4).narrow(0, 2, 2**63 - 1), "exceeds dimension size"),
    (lambda: cygrad.ones(1).view(274177, 67280421310721), "integer multiplication overflow"),
    (lambda: cygrad.ones(1).expand(274177, 67280421310721), "integer multiplication overflow"),
    (lambda: cygrad.ones(4)[1::2**63 - 1], "Storage size calculation overflowed"),
    (lambda: cygrad.cat([cygrad.ones(1).expand(2**62)] * 4), "negative dimension"),
    (lambda: cygrad.view_as_real(cygrad.ones(1, dtype=cygrad.complex64).expand(2**62)), "multiplication overflow"),
    (lambda: cygrad.ones(1, 1).expand(2**32, 2**31), "integer multiplication overflow"),
    (lambda: cygrad.ones(1).expand(2**62).roll(1), "Storage size calculation overflowed"),
    (lambda: cygrad.ones(0).view(2**32, 2**32, 0), "integer multiplication overflow"),
    (lambda: cygrad.zeros((1,) * 64).unsqueeze(0), "too many"),
    (lambda: cygrad.zeros((1,) * 64).unfold(0, 1, 1), "too many"),
    (lambda: cygrad.zeros((1,) * 60)[cygrad.zeros((1,) * 30, dtype=cygrad.int64)], "too many"),
])
def test_geometry_that_does_not_fit_is_refused(call, words):
    with pytest.raises(RuntimeError, match=words):
        call()


def test_nested_sequences_end_somewhere():
    deep = 1.0
    for _ in range(10**5):
        deep = [deep]
    itself, twice = [1], []
    itself.append(itself)
    twice.append([twice])
    wide = numpy.zeros((1,) * 32)
    for _ in range(40):
        wide = [wide]
    for data in (deep, itself, twice, wide):
        with pytest.raises((TypeError, ValueError), match="self-referential|too many dimensions"):
            cygrad.tensor(data)
    with pytest.raises(IndexError):             # one part too many, as in PyTorch
        cygrad.zeros(3)[itself]

    class Growing:
        def __float__(self):
            data.extend([1.0] * 1000)
            return 1.0
    data = [Growing(), 2.0]
    with pytest.raises(ValueError, match="expected sequence of length"):
        cygrad.tensor(data, dtype=cygrad.float32)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="garbage is collected between Python's instructions only")
def test_no_garbage_is_collected_while_an_op_makes_its_tensors():
    """What a finalizer changes would be the operands of the op that is under way."""
    x, runs = cygrad.ones(3), []                        # a node would have tuples, which start one
    freed = [cygrad.empty(0) for _ in range(600)]       # none is left that could be used again
    made, threshold = [None] * 600, gc.get_threshold()
    x.exp()                                             # what the op learns in its first call is kept
    gc.collect()
    gc.callbacks.append(note := lambda phase, info: runs.append(phase))
    gc.set_threshold(1)
    try:
        for i in range(600):
            made[i] = x.exp()
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(note)
    assert len(freed) == 600
    assert not runs


def test_a_part_of_a_key_that_lies_about_its_class_is_refused():
    class Lies:
        __class__ = bool
    x, real = cygrad.arange(3.0), cygrad.tensor([0, 1])
    for part in (Lies(), weakref.proxy(real)):
        for key in (part, (part, None)):
            with pytest.raises(IndexError):
                x[key]
            with pytest.raises(IndexError):
                x[key] = 1.0
    assert x.tolist() == [0.0, 1.0, 2.0]


def test_a_key_is_read_before_the_tensor_is_looked_at():
    class Shrinks:
        def __init__(self, value):
            self.value = value

        def __index__(self):
            x.resize_(1)
            return self.value
        __int__ = __index__
    for read in (lambda: x[Shrinks(3)], lambda: x[Shrinks(2):4], lambda: x.__setitem__(Shrinks(3), 1.0),
                 lambda: x.__setitem__(slice(Shrinks(2), 4), 1.0)):
        x = cygrad.arange(5.0)
        try:
            found = read()
        except IndexError:
            found = None
        assert x.numel() == 1 and (found is None or found.numel() == 0)


@pytest.mark.parametrize("write", [
    lambda x: cygrad.bernoulli(cygrad.rand(4), out=x), lambda x: cygrad.cat([cygrad.rand(4)], out=x),
    lambda x: cygrad.gather(cygrad.rand(4), 0, cygrad.arange(4), out=x),
    lambda x: cygrad.masked_select(cygrad.rand(4), cygrad.ones(4) > 0, out=x),
    lambda x: cygrad.take(cygrad.rand(4), cygrad.arange(4), out=x), lambda x: cygrad.add(cygrad.rand(4), 1, out=x),
    lambda x: x.lt_(x[0]), lambda x: x.xlogy_(x[0]), lambda x: x.__setitem__(slice(1, 3), 1)])
def test_elements_that_share_a_place_are_not_written(write):
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory"):
        write(cygrad.zeros(1).expand(4))


def test_what_is_read_out_of_order_is_not_written_to():
    x = cygrad.arange(4.0)
    for write in (lambda: cygrad.index_select(x, 0, cygrad.arange(4), out=x), lambda: cygrad.cat([x], out=x),
                  lambda: cygrad.gather(x, 0, cygrad.arange(4), out=x),
                  lambda: cygrad.take(x, cygrad.arange(4), out=x)):
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to"):
            write()


@pytest.mark.parametrize("name", ["floor_divide_", "remainder_", "fmod_"])
def test_a_division_that_fails_changes_nothing(name):
    n = cygrad.tensor([4, 6, 8])
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        getattr(n, name)(cygrad.tensor([2, 0, 2]))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        getattr(n, name)(cygrad.tensor(0))
    assert n.tolist() == [4, 6, 8]


@pytest.mark.parametrize("name", ["__imod__", "remainder_", "fmod_"])
@pytest.mark.parametrize("zero", [0, False])
def test_a_division_by_the_number_zero_changes_nothing(name, zero):
    n = cygrad.tensor([4, 6, 8])
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        getattr(n, name)(zero)
    assert n.tolist() == [4, 6, 8]


def test_objects_made_without_init_and_operands_that_are_none():
    class Sub(cygrad.Tensor):
        pass
    for kind in (cygrad.Tensor, Sub):
        x = kind.__new__(kind)
        assert x.shape == (0,) and x.sum() == 0 and (x + 1).numel() == 0 and x.device.type == "cpu" and repr(x)
    leaf = cygrad.ones(1, requires_grad=True)
    node = (leaf * 2).grad_fn.next_functions[0][0]
    with pytest.raises(TypeError, match="cannot create 'AccumulateGrad' instances"):
        type(node)()
    node = type((leaf * 2).grad_fn)
    bare = node.__new__(node)
    assert "name" in dir(bare) and not hasattr(bare, "_saved_self") and not hasattr(bare, "_raw_saved_self")
    batched = []
    cygrad.vmap(lambda x: batched.append(type(x)) or x)(cygrad.ones(2))
    for make in (lambda: batched[0].__new__(batched[0]), lambda: cygrad.Tensor.__new__(batched[0]),
                 lambda: type("Own", (batched[0],), {}).__new__(type("Own", (batched[0],), {}))):
        with pytest.raises(TypeError, match="cannot create 'BatchedTensor' instances"):
            make()
    storage = type(cygrad.ones(1).untyped_storage())
    assert storage.__new__(storage).nbytes() == 0
    for call in (lambda: cygrad.Tensor.float(None), lambda: cygrad.Tensor.sum([]), lambda: cygrad.sinc(3.0),
                 lambda: cygrad.sinc(None), lambda: cygrad.exp(None)):
        with pytest.raises(TypeError):
            call()


def test_storages_can_be_made():
    typed, untyped = cygrad.TypedStorage([1, 2, 3], dtype=cygrad.int32), cygrad.UntypedStorage([1, 300, -1])
    assert (typed.tolist(), typed.dtype, untyped.tolist()) == ([1, 2, 3], cygrad.int32, [1, 44, 255])
    assert (len(cygrad.TypedStorage()), len(cygrad.UntypedStorage(7)), cygrad.TypedStorage(2).nbytes()) == (0, 7, 8)
    seen = cygrad.TypedStorage(wrap_storage=cygrad.UntypedStorage([0, 0, 128, 63]), dtype=cygrad.float32)
    assert seen.tolist() == [1.0]
    bare = cygrad.TypedStorage.__new__(cygrad.TypedStorage)         # without its constructor
    assert (bare.tolist(), bare.device.type, len(bare.clone())) == ([], "cpu", 0)
    for wrong in (lambda: cygrad.UntypedStorage([1.5]), lambda: cygrad.TypedStorage(1, 2)):
        with pytest.raises(RuntimeError):
            wrong()


@pytest.mark.parametrize("kind", [cygrad.UntypedStorage, cygrad.TypedStorage])
def test_methods_of_storages_look_at_self(kind):
    for call in (lambda: kind.fill_(object(), 1), lambda: kind.clone(3), lambda: kind.to(None, device="cpu"),
                 lambda: kind.nbytes(3), lambda: kind._part(object(), 0, 1)):
        with pytest.raises((TypeError, AttributeError)):
            call()


def test_a_storage_keeps_its_tensor_and_its_bounds():
    held = cygrad.arange(4.0).untyped_storage()
    for wrong in (lambda: setattr(held, "held", None), lambda: delattr(held, "held"), lambda: held._hold(None),
                  lambda: held._part(-1, 4), lambda: held._part(0, 17), lambda: held._part(9, 8)):
        with pytest.raises((AttributeError, TypeError, IndexError)):
            wrong()
    assert held.nbytes() == 16


def test_a_weak_proxy_is_not_its_tensor():
    """Python's `isinstance` says that it is one."""
    x = cygrad.ones(3)
    for call in (lambda proxy: cygrad.dist(x, proxy), lambda proxy: cygrad.sum(proxy), lambda proxy: x.add(proxy),
                 lambda proxy: cygrad.cat([x, proxy]), lambda proxy: cygrad.exp(proxy)):
        with pytest.raises(TypeError):
            call(weakref.proxy(x))
