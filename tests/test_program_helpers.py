"""If one of these fails, a program that was written for PyTorch's compiler, or for any device, doesn't run as it is."""
import cygrad
import pytest


def test_control_flow():
    x = cygrad.tensor([1.0, 2.0])
    assert cygrad.cond(x.sum() > 2, lambda x: x + 1, lambda x: x - 1, (x,)).equal(x + 1)
    assert cygrad.cond(False, lambda x: x + 1, lambda x: x - 1, (x,)).equal(x - 1)
    for wrong in (("a", abs, abs), (x, abs, abs), (True, 1, abs), (True, abs, abs, x)):
        with pytest.raises(RuntimeError):
            cygrad.cond(*wrong)
    count, found = cygrad.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (0, x))
    assert count == 3 and found.equal(x * 8)
    with pytest.raises(RuntimeError, match="gives 1 things, and takes 2"):
        cygrad.while_loop(lambda i, x: i < 3, lambda i, x: i + 1, (0, x))


def test_the_compiler_is_absent():
    assert not cygrad.compiler.is_compiling() and cygrad.compiler.disable(len) is len
    assert cygrad.compiler.disable()(len) is len

    @cygrad.compile(disable=True)
    @cygrad.compiler.set_stance("force_eager")
    def twice(x):
        return 2 * x

    assert twice(3) == 6
    with pytest.raises(AssertionError, match="A callable function is expected"):
        cygrad.compile(3)


def test_what_torchscript_marks_runs_as_it_is_written():
    with pytest.warns(UserWarning, match=r"no compiler: jit\.script\(\)"):
        @cygrad.jit.script
        def halves(x, n: int):
            while n > 0:
                x, n = x / 2, n - 1
            return x
    assert halves(cygrad.tensor(8.0), 3) == 1

    class Net(cygrad.jit.ScriptModule):
        __constants__ = ("width",)
        width: cygrad.jit.Final[int]

        def __init__(self):
            super().__init__()
            self.width = 2

        @cygrad.jit.script_method
        def forward(self, x):
            return self.doubled(x) if cygrad.jit.is_scripting() else self.width * x

        @cygrad.jit.ignore
        def doubled(self, x):
            return x + x

    net = Net().eval()
    assert isinstance(net, cygrad.nn.Module) and isinstance(net, cygrad.jit.ScriptModule)
    with pytest.warns(UserWarning, match=r"jit\.trace\(\)"):
        assert cygrad.jit.freeze(cygrad.jit.trace(net, cygrad.ones(1)))(3) == 6
    with pytest.raises(RuntimeError, match="eval mode"):
        cygrad.jit.freeze(net.train())
    with pytest.raises(RuntimeError, match="expected a function"):
        cygrad.jit.script(3)
    with pytest.raises(RuntimeError, match="load_state_dict"):
        cygrad.jit.load("model.pt")
    assert cygrad.jit.wait(cygrad.jit.fork(max, 1, 2)) == 2
    for value, kind, there in (([1], list[int], True), ([1, "2"], list[int], False), ((1, "2"), tuple[int, str], True),
                               ({"1": 2.0}, dict[str, float], True), (None, int | None, True),
                               ([], int | str, False), ([[1]], int | list[list[int]], True), (1, (str, float), False)):
        assert cygrad.jit.isinstance(value, kind) is there


def test_the_device_beside_the_processor():
    there = cygrad.accelerator.is_available()
    assert there == (cygrad.accelerator.device_count() > 0) == (cygrad.accelerator.current_accelerator() is not None)
    if not there:
        with pytest.raises(RuntimeError, match="none is available"):
            cygrad.accelerator.synchronize()


def test_batch_norms_without_statistics():
    net = cygrad.nn.Sequential(cygrad.nn.BatchNorm1d(2), cygrad.nn.ReLU())
    assert cygrad.func.replace_all_batch_norm_modules_(net) is net and net[0].running_var is None
    found = cygrad.func.vmap(net, randomness="different")(cygrad.randn(3, 5, 2))
    assert found.shape == (3, 5, 2)
    assert cygrad.func.functionalize(abs)(cygrad.tensor(-1.0)) == 1


def test_least_squares_of_one_matrix_for_several_sides():
    found = cygrad.linalg.lstsq(cygrad.eye(3)[None], cygrad.randn(2, 3, 3), driver="gelsd")
    assert found.rank.shape == (1,) and found.singular_values.shape == (1, 3) and found.solution.shape == (2, 3, 3)


def test_numbers_of_traced_programs():
    assert (cygrad.sym_int(-2.7), cygrad.sym_int(True), cygrad.sym_float(3), cygrad.sym_not(0)) == (-2, 1, 3.0, True)
    for found, wanted in ((cygrad.sym_max(1, 2.0), 2.0), (cygrad.sym_max(3, 2.0), 3.0), (cygrad.sym_min(2, 1), 1),
                          (cygrad.sym_sum([1, 2]), 3), (cygrad.sym_sum(1, 2.0), 3.0), (cygrad.sym_ite(False, 1, 2), 2)):
        assert found == wanted and type(found) is type(wanted)
    for wrong in (lambda: cygrad.sym_ite(1, 2, 3), lambda: cygrad.sym_ite(True, 2, 3.0),
                  lambda: cygrad.sym_max("a", 1)):
        with pytest.raises(AssertionError):
            wrong()
    assert not isinstance(3, (cygrad.SymInt, cygrad.SymFloat, cygrad.SymBool))
    with pytest.raises(TypeError, match="no instances of SymInt"):
        cygrad.SymInt(3)


def test_checks_that_programs_make():
    for check, error in ((cygrad._check, RuntimeError), (cygrad._check_index, IndexError),
                         (cygrad._check_value, ValueError), (cygrad._check_type, TypeError),
                         (cygrad._check_not_implemented, NotImplementedError)):
        check(True)
        with pytest.raises(error, match="Expected cond to be True, but got False"):
            check(False)
        with pytest.raises(error, match="^2 words$"):
            check(False, lambda: "2 words")
    with pytest.raises(TypeError, match="got <class 'int'>"):
        cygrad._check(1)
    with pytest.raises(TypeError, match="_check_tensor_all"):
        cygrad._check(cygrad.tensor(True))
    cygrad._check_tensor_all(cygrad.ones(2) > 0)
    with pytest.raises(RuntimeError):
        cygrad._check_tensor_all(cygrad.arange(2) > 0)
    with pytest.raises(TypeError, match="torch.float32"):
        cygrad._check_tensor_all(cygrad.ones(2))
    with pytest.warns(FutureWarning), pytest.raises(RuntimeError):
        cygrad._check_is_size(4, max=3)


def test_a_block_is_profiled_as_it_was_before():
    profiler = cygrad.autograd.profiler
    with profiler.profile() as prof:
        assert str(prof) == "<unfinished torch.autograd.profile>"
        with pytest.raises(RuntimeError, match="didn't finish"):
            prof.table()
        with profiler.record_function("mine"):
            cygrad.ones(2).tolist()
    assert "mine" in [event.key for event in prof.key_averages()] and "mine" in prof.table(sort_by="cpu_time_total")
    assert prof.self_cpu_time_total > 0 and str(prof) == str(prof.function_events)
    with pytest.raises(RuntimeError, match="not reentrant"), prof:
        pass
    with profiler.profile(enabled=False) as nothing:
        assert nothing is None


def test_arguments_for_several_devices():
    from cygrad.nn.parallel import gather, scatter
    assert scatter({"a": 5, "b": (1, [2])}, [0, 1]) == [{"a": 5, "b": (1, [2])}] * 2
    assert cygrad.nn.parallel.scatter_gather.scatter_kwargs((5, ()), None, [0, 1]) == (((5, ()),) * 2, ({},) * 2)
    with pytest.raises(RuntimeError, match="divided"):
        scatter([cygrad.ones(2)], [0])
    for outputs in ([cygrad.ones(2)] * 2, [{"a": cygrad.ones(2)}] * 2, [[cygrad.ones(2)]] * 2):
        with pytest.raises(AssertionError, match="Gather function not implemented for CPU tensors"):
            gather(outputs, 0)
    assert gather([None, None], 0) is None
    with pytest.raises(TypeError):
        gather([5, 6], 0)


def test_namespaces_of_devices():
    assert cygrad.get_device_module() is cygrad.get_device_module(cygrad.device("cpu")) is cygrad.cpu
    with pytest.raises(RuntimeError, match="Invalid value of device '1.0'"):
        cygrad.get_device_module(1.0)
    assert cygrad.cuda._initialized is False or cygrad.cuda.is_available()
    assert cygrad.OutOfMemoryError is cygrad.cuda.OutOfMemoryError


def test_no_tracer_runs():
    assert cygrad._C._get_tracing_state() is None
