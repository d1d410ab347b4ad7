"""What the documentation says is so: the examples in the docstrings of all public names give what they show.

A public function or class without a docstring fails here too.
"""
import doctest
import importlib
import inspect

import cygrad
import pytest

MODULES = ("cygrad", "cygrad.linalg", "cygrad.special", "cygrad.nn.functional", "cygrad.random", "cygrad.autograd",
           "cygrad.autograd.functional", "cygrad.autograd.function")


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
    # The legacy types (FloatTensor, ...) are made by the dozen, and need no text of their own.
    assert [name for name, value in PUBLIC.items() if callable(value) and not (value.__doc__ or "").strip()
            and not (isinstance(value, type) and name.endswith("Tensor"))] == []


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled", "ignore:Error detected in")
@pytest.mark.parametrize("name", [name for name, examples in EXAMPLES.items() if examples])
def test_examples(name):
    test = doctest.DocTest(EXAMPLES[name], {"cygrad": cygrad}, name, None, 0, inspect.getdoc(PUBLIC[name]))
    report = []
    outcome = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert outcome.failed == 0, "".join(report)
