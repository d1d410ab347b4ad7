"""What the documentation says is so, and it says enough: of every public name, what it takes, gives and looks like.

`lacking` lists what a docstring lacks; run as a script, this prints it for all public names. The examples are run, each
once, though the function and its method show the same.
"""
import doctest
import importlib
import inspect
import re
from pathlib import Path

import cygrad
import pytest
from cygrad.ops.declare.docstrings import entries_of, parameters_of, sections_of
from cygrad.ops.declare.public_op import PublicOp

MODULES = ("cygrad", "cygrad.linalg", "cygrad.special", "cygrad.nn.functional", "cygrad.random", "cygrad.autograd",
           "cygrad.autograd.functional", "cygrad.autograd.function", "cygrad.array_api", "cygrad.array_api.linalg",
           "cygrad.array_api.fft", "cygrad.fft", "cygrad.optim", "cygrad.optim.lr_scheduler")


def public():
    """{name: object} of the public functions, classes and methods, each object once."""
    found, seen = {}, set()
    owners = [(name, importlib.import_module(name)) for name in MODULES]
    owners += [(f"cygrad.{name}", getattr(cygrad, name)) for name in ("Tensor", "Generator", "dtype", "device", "Size")]
    for prefix, owner in owners:
        for name in getattr(owner, "__all__", None) or dir(owner):
            value = getattr(owner, name)
            documented = callable(value) or inspect.isdatadescriptor(value)
            ours = inspect.isclass(owner) or getattr(value, "__module__", "").startswith("cygrad")
            if name.startswith("_") or not documented or not ours or inspect.ismodule(value) or id(value) in seen:
                continue
            if owner is cygrad.Size and hasattr(tuple, name):
                continue
            seen.add(id(value))
            found[f"{prefix}.{name}"] = value
    return found


PUBLIC = public()
EXAMPLES = {name: doctest.DocTestParser().get_examples(inspect.getdoc(value) or "") for name, value in PUBLIC.items()}


def test_enough_is_found():
    assert len(PUBLIC) > 500 and "cygrad.add" in PUBLIC and "cygrad.Tensor.backward" in PUBLIC


def test_every_name_has_a_docstring():
    assert [name for name, value in PUBLIC.items() if callable(value) and not (value.__doc__ or "").strip()] == []


# ---------------------------------------------------------------------- what a docstring has to have

# No example: what they give depends on the machine or needs a device; those of Generator are called with addresses.
NO_EXAMPLE = {f"cygrad.Tensor.{name}" for name in ("cuda", "data_ptr", "opencl", "pin_memory", "record_stream")}
NO_EXAMPLE |= {f"cygrad.Generator.{name}" for name in ("fill", "reserve", "set_state_bytes")}
STUBS = Path(cygrad.__file__).parent
GIVES_NOTHING = {name for stub in STUBS.rglob("*.pyi") for name in re.findall(
    r"def (\w+)\((?:[^)]|\n)*?\) -> None:", stub.read_text(encoding="utf-8"))}


def takes(name, value):
    """Names of the parameters that a function has beside the tensor whose method it is."""
    try:
        found = parameters_of(name, value)
    except (TypeError, ValueError):
        return []
    bound = isinstance(value, PublicOp) and value.method or found and found[0].name == "self"
    unsaid = {"axis", "out"} if bound else {"axis"}
    return [p.name for p in found[1 if bound else 0:] if p.kind is not p.VAR_KEYWORD and p.name not in unsaid]


def lacking(full_name, value):
    """What the docstring of a function or method lacks."""
    name = full_name.rpartition(".")[2]
    text = inspect.getdoc(value) or ""
    sections = sections_of(text)
    described = {each.lstrip("*") for names, _ in entries_of(sections.get("Parameters")) for each in names}
    found = [parameter for parameter in takes(name, value) if parameter not in described]
    if name not in GIVES_NOTHING and not {"Returns", "Yields"} & set(sections):
        found.append("Returns")
    if "Examples" not in sections and not text.startswith("In-place version of") and full_name not in NO_EXAMPLE:
        found.append("Examples")
    return found


def functions():
    """(name, object) of what is called: neither attributes nor classes."""
    return [(name, value) for name, value in PUBLIC.items() if callable(value) and not isinstance(value, type)]


def test_docstrings_say_what_goes_in_and_what_comes_out():
    assert {name: found for name, value in functions() if (found := lacking(name, value))} == {}


def test_help_is_about_what_was_asked_for():
    # The other name, the method, the form in place, whose examples are those of the op.
    for op, called in ((cygrad.less_equal, "cygrad.less_equal(cygrad.tensor([1, 2]), 2)"),
                       (cygrad.Tensor.fmin, "cygrad.tensor([1, cygrad.nan]).fmin(cygrad.tensor([2., 3]))"),
                       (cygrad.Tensor.log1p_, "cygrad.tensor([0, 1e-3]).log1p_()"),
                       (cygrad.topk, "cygrad.topk(cygrad.tensor([3, 1, 2]), 2)"),
                       (cygrad.linalg.inv, "cygrad.linalg.inv(")):
        assert f">>> {called}" in op.__doc__
    assert "integers give" not in cygrad.log1p_.__doc__
    assert "can't be converted" in cygrad.log1p_.__doc__
    # A type that an op's text gives stands, though the parameter has a meaning that many share.
    assert "dim : int or tuple of int" in cygrad.logsumexp.__doc__
    assert 'reduce : {"sum", ' in cygrad.scatter_reduce.__doc__


def test_signatures_are_those_that_calls_may_have():
    functional = cygrad.nn.functional
    for function, written in (
            (cygrad.lt, "(input, other, *, out=None)"), (cygrad.isnan, "(input)"),
            (cygrad.fft.fft, "(input, n=None, dim=-1, norm=None, *, out=None)"),
            (cygrad.Tensor.kron, "(input, other)"), (cygrad.Tensor.add_, "(self, other, *, alpha=1)"),
            (cygrad.true_divide, "(input, other, *, out=None)"),
            (functional.leaky_relu, "(input, negative_slope=0.01, inplace=False)"),
            (functional.softmax, "(input, dim=None, _stacklevel=3, dtype=None)")):
        assert str(inspect.signature(function)) == written


# ---------------------------------------------------------------------- examples

ONCE = {(inspect.getdoc(PUBLIC[name]) or "").partition("Examples\n---")[2]: name
        for name, examples in reversed(EXAMPLES.items()) if examples}


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled", "ignore:Error detected in")
@pytest.mark.parametrize("name", ONCE.values())
def test_examples(name):
    test = doctest.DocTest(EXAMPLES[name], {"cygrad": cygrad}, name, None, 0, inspect.getdoc(PUBLIC[name]))
    report = []
    outcome = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert outcome.failed == 0, "".join(report)


if __name__ == "__main__":
    for each, thing in functions():
        if missing := lacking(each, thing):
            print(f"{each}: {', '.join(missing)}")
