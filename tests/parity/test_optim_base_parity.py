"""If one of these fails, `Optimizer` differs from PyTorch's: groups, state dicts, hooks, text or errors."""
import pytest
from test_optim_parity import both


def params(m, count=3):
    return [m.full((2,), float(i), requires_grad=True) for i in range(count)]


def step(m, optimizer):
    for group in optimizer.param_groups:
        for param in group["params"]:
            param.grad = m.ones_like(param)
    optimizer.step()
    return optimizer


GROUPS = {
    "tensor": lambda m, p: p[0],
    "none": lambda m, p: [],
    "number": lambda m, p: [1.0],
    "pair": lambda m, p: [("a", p[0]), ("b", p[1])],
    "half named": lambda m, p: [("a", p[0]), p[1]],
    "named groups": lambda m, p: [{"params": [("a", p[0])]}, {"params": [("b", p[1])], "lr": 3.0}],
    "mixed groups": lambda m, p: [{"params": [p[0]]}, {"params": [("b", p[1])]}],
    "mixed groups, other way": lambda m, p: [{"params": [("b", p[1])]}, {"params": [p[0]]}],
    "set": lambda m, p: [{"params": {p[0]}}],
    "one tensor": lambda m, p: [{"params": p[0]}, {"params": p[1], "lr": 0.5}],
    "generator": lambda m, p: (x for x in p),
    "generators": lambda m, p: [{"params": (x for x in p), "momentum": 0.1}],
    "empty group": lambda m, p: [{"params": []}],
    "twice": lambda m, p: [p[0], p[0]],
    "in two groups": lambda m, p: [{"params": p[:2]}, {"params": p[1:]}],
    "not a leaf": lambda m, p: [p[0] * 2],
    "dict of names": lambda m, p: {"a": p[0]},
    "group without params": lambda m, p: [{"lr": 1.0}],
    "group is a list": lambda m, p: [{"params": p[:1]}, p[1:]],
    "string": lambda m, p: "params",
    "more options": lambda m, p: [{"params": p, "mine": "yes"}],
    "no gradients wanted": lambda m, p: [x.detach() for x in p],
    "integers": lambda m, p: [m.ones(2, dtype=m.int64)],
}


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("optimizer", ["SGD", "AdamW"])
def test_groups(name, optimizer):
    def script(m):
        made = getattr(m.optim, optimizer)(GROUPS[name](m, params(m)), lr=0.25)
        again = made.state_dict()
        return str(made), again["param_groups"], sorted(made.defaults), len(made.state)
    both(script)


def test_retained_gradients_may_be_optimized():
    def script(m):
        p = params(m)[0] * 2
        p.retain_grad()
        return str(m.optim.SGD([p]))
    both(script)


@pytest.mark.parametrize("added", [
    lambda m, p: {"params": p[2], "lr": 9.0}, lambda m, p: {"params": p[:1]}, lambda m, p: [p[2]],
    lambda m, p: {"params": [("c", p[2])]}, lambda m, p: {}, lambda m, p: {"params": [3]}])
def test_adding_a_group(added):
    def script(m):
        p = params(m)
        optimizer = m.optim.SGD(p[:2], lr=0.5, momentum=0.9)
        step(m, optimizer)
        optimizer.add_param_group(added(m, p))
        step(m, optimizer)
        return str(optimizer), optimizer.state_dict()["param_groups"], [x.tolist() for x in p]
    both(script)


def test_required_options():
    def script(m):
        required = __import__(f"{m.__name__}.optim.optimizer", fromlist=["required"]).required

        class Mine(m.optim.Optimizer):
            def __init__(self, params):
                super().__init__(params, {"speed": required})

        assert str(required) == "<required parameter>"
        good = Mine([{"params": params(m), "speed": 3}])
        try:
            good.step()
        except NotImplementedError:
            pass
        Mine(params(m))
    assert "required optimization parameter speed" in both(script)


def test_hooks_in_order():
    """All hooks, in the order in which they are called, and what they may change."""
    def script(m):
        base = __import__(f"{m.__name__}.optim.optimizer", fromlist=["x"])
        log = []
        optimizer = m.optim.SGD(params(m), lr=0.5)
        handles = [
            optimizer.register_step_pre_hook(lambda o, args, kwargs: log.append(("pre", len(args), list(kwargs)))),
            optimizer.register_step_post_hook(lambda o, args, kwargs: log.append("post")),
            base.register_optimizer_step_pre_hook(lambda o, args, kwargs: log.append("all pre")),
            base.register_optimizer_step_post_hook(lambda o, args, kwargs: log.append("all post")),
            optimizer.register_state_dict_pre_hook(lambda o: log.append("state pre")),
            optimizer.register_state_dict_pre_hook(lambda o: log.append("state pre, first"), prepend=True),
            optimizer.register_state_dict_post_hook(lambda o, s: log.append("state post")),
            optimizer.register_state_dict_post_hook(lambda o, s: {**s, "more": 1}, prepend=True),
            optimizer.register_load_state_dict_pre_hook(lambda o, s: log.append(("load pre", sorted(s)))),
            optimizer.register_load_state_dict_pre_hook(lambda o, s: {**s, "other": 2}, prepend=True),
            optimizer.register_load_state_dict_post_hook(lambda o: log.append("load post")),
            optimizer.register_load_state_dict_post_hook(lambda o: log.append("load post, first"), prepend=True)]
        step(m, optimizer)
        state = optimizer.state_dict()
        optimizer.load_state_dict(state)
        log.append(sorted(state))
        for handle in handles:
            handle.remove()
        optimizer.step(closure=lambda: 1.0)
        optimizer.load_state_dict(optimizer.state_dict())
        return log
    assert both(script).count("post") == 5


def test_a_hook_that_changes_arguments():
    def script(m, changed):
        optimizer = m.optim.SGD(params(m))
        optimizer.register_step_pre_hook(lambda o, args, kwargs: changed)
        optimizer.register_step_pre_hook(lambda o, args, kwargs: ((o, lambda: 7.0), {}))
        return optimizer.step()

    def refused(m):
        with pytest.raises(RuntimeError) as error:
            script(m, (1, 2, 3))
        return str(error.value).partition(" must return")[2]        # before it, the function and its address
    assert both(script, None) == "(7.0, [])" and "None or a tuple" in both(refused)


LOADED = {
    "too many groups": lambda s: {**s, "param_groups": s["param_groups"] * 2},
    "too few parameters": lambda s: {**s, "param_groups": [{**s["param_groups"][0], "params": [0]}]},
    "no groups": lambda s: {"state": {}},
    "no state": lambda s: {"param_groups": s["param_groups"]},
    "other numbers": lambda s: {"state": {}, "param_groups": [{**s["param_groups"][0], "params": [7, 8, 9]}]},
    "state of others": lambda s: {**s, "state": {**s["state"], "mine": [1, 2], 77: {"a": 1}}},
    "older": lambda s: {**s, "param_groups": [{"params": [0, 1, 2], "lr": 1.0, "betas": (0.5, 0.5), "eps": 1e-3,
                                               "weight_decay": 0}]},
    "numbers as steps": lambda s: {**s, "state": {k: {**v, "step": 3} for k, v in s["state"].items()}},
    "names": lambda s: {**s, "param_groups": [{**s["param_groups"][0], "param_names": ["a", "b", "c"]}]},
}


@pytest.mark.parametrize("name", LOADED)
@pytest.mark.parametrize("optimizer", ["Adam", "NAdam", "RMSprop"])
def test_loading(name, optimizer):
    def script(m):
        make = getattr(m.optim, optimizer)
        source, target = step(m, make(params(m))), make(params(m))
        target.load_state_dict(LOADED[name](source.state_dict()))
        for group in target.param_groups:               # of an older file
            for option in ("alpha", "momentum_decay"):
                if option in target.defaults:
                    group.setdefault(option, target.defaults[option])
        step(m, target)
        state = target.state_dict()
        return (sorted(map(str, state["state"])), str(target), [sorted(group) for group in state["param_groups"]],
                [(k, str(v.dtype), v.tolist()) for entry in state["state"].values() if isinstance(entry, dict)
                 for k, v in entry.items() if hasattr(v, "dtype") and k == "step"])
    both(script)


@pytest.mark.parametrize("options", [{}, {"fused": True}])
def test_dtypes_of_loaded_states(options):
    """Floats go to the parameter's dtype, but steps to float32 or nowhere; integers stay."""
    def script(m):
        source = step(m, m.optim.Adam(params(m), **options))
        state = source.state_dict()
        state["state"][0]["step"] = state["state"][0]["step"].double()
        state["state"][0]["more"] = {"x": m.ones(1, dtype=m.int64), "list": [m.ones(1), 3]}
        target = m.optim.Adam([p.detach().double().requires_grad_() for p in params(m)], **options)
        target.load_state_dict(state)
        loaded = target.state_dict()["state"][0]
        return {k: str(v.dtype) if isinstance(v, m.Tensor) else repr(v) for k, v in loaded.items()}
    both(script)


def test_names_survive():
    def script(m):
        named = m.optim.SGD([("a", params(m)[0]), ("b", params(m)[1])])
        plain = m.optim.SGD(params(m, 2))
        named.load_state_dict(plain.state_dict())
        first = named.state_dict()["param_groups"][0]["param_names"]
        plain.load_state_dict(named.state_dict())
        return first, plain.state_dict()["param_groups"][0]["param_names"], str(named)
    both(script)


def test_zero_grad():
    def script(m):
        optimizer = step(m, m.optim.SGD(params(m)))
        p, q, r = optimizer.param_groups[0]["params"]
        (q.grad,) = m.autograd.grad((q ** 3).sum(), [q], create_graph=True)
        r.grad = None
        kept = p.grad
        optimizer.zero_grad(set_to_none=False)
        seen = kept is p.grad, p.grad.tolist(), q.grad.requires_grad, q.grad.grad_fn, r.grad
        optimizer.zero_grad()
        return seen, p.grad
    both(script)


def test_default_dtype_of_counters():
    def script(m):
        m.set_default_dtype(m.float64)
        try:
            optimizer = step(m, m.optim.Adam(params(m)))
            fused = step(m, m.optim.Adam(params(m), fused=True))
            return [str(o.state_dict()["state"][0]["step"].dtype) for o in (optimizer, fused)]
        finally:
            m.set_default_dtype(m.float32)
    both(script)


def test_gradients_are_computed_in_closures_only():
    def script(m):
        p = params(m)[1]
        optimizer = m.optim.SGD([p], lr=1.0)

        def closure():
            optimizer.zero_grad()
            loss = (p * p).sum()
            loss.backward()
            return loss

        with m.no_grad():
            loss = optimizer.step(closure)
        return loss.item(), loss.requires_grad, p.tolist(), p.requires_grad, p.grad_fn
    both(script)


def test_swapped_states():
    def script(m, change):
        p, q = params(m, 2)
        q.grad = m.ones(2)
        optimizer = step(m, m.optim.SGD([p], lr=0.5, momentum=0.9))
        state = optimizer.state_dict()
        state["param_groups"][0]["lr"] = 2.0
        with m.optim.swap_in_optimizer_params_and_state(optimizer, {"q": q}, change(state)):
            optimizer.step()
        return p.tolist(), q.tolist(), optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["params"][0] is p
    both(script, lambda state: state)
    for change in (lambda s: [], lambda s: {**s, "state": 1}, lambda s: {**s, "state": {0: 1}},
                   lambda s: {**s, "state": {5: {}}}, lambda s: {**s, "param_groups": 1},
                   lambda s: {**s, "param_groups": []}, lambda s: {**s, "param_groups": [1]},
                   lambda s: {**s, "param_groups": [{"params": ["a"]}]},
                   lambda s: {**s, "param_groups": [{"params": [0]}]},
                   lambda s: {**s, "param_groups": [{"params": [0, 1]}]}):
        assert "Error" in both(script, change)
