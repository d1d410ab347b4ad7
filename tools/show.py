"""Shows what is made on the way from a formula to its result: `python tools/show.py graph|program|kernel WHAT`.

    python tools/show.py graph "(a * b).sum()"                      the graph behind a tensor, a line a node
    python tools/show.py program ops.nn.smooth_activations.SOFTPLUS    the steps of a pointwise program
    python tools/show.py kernel "(a * b).exp()"                     the kernels that OpenCL's devices compile for it

a, b and c are float32 tensors of 2 x 3 that require gradients; `cygrad` and `F`, its nn.functional, are at hand.
"""
import argparse
import importlib

import cygrad
from cygrad.backend import BINARY, UNARY


def operands(device="cpu"):
    """The names that an expression may use."""
    names = {"cygrad": cygrad, "torch": cygrad, "F": cygrad.nn.functional}
    for start, name in enumerate("abc", 1):
        values = cygrad.arange(float(start), start + 6).view(2, 3)
        names[name] = values.to(device).requires_grad_()
    return names


def graph(text):
    """The nodes from the result's to the leaves, each below the one whose gradient it waits for."""
    def show(node, depth):
        print("    " * depth + type(node).__name__)
        for following, _ in node.next_functions:
            if following is not None:
                show(following, depth + 1)
    result = eval(text, operands())
    show((result[0] if isinstance(result, tuple) else result).grad_fn, 0)


def program(path):
    """The steps of a program of the core: a stack of values, as `Backend.elementwise` describes it."""
    module, _, name = path.removeprefix("cygrad.").rpartition(".")
    codes = {"unary": UNARY, "binary": BINARY}
    for kind, *value in getattr(importlib.import_module("cygrad." + module), name).steps:
        print(kind, *(codes[kind][code] for code in value) if kind in codes else value)


def kernel(text, whole):
    """The source of every kernel that the expression runs on a device of OpenCL, less what all have in common."""
    from cygrad_opencl.binaries import Programs        # optional dependency: pyopencl
    names, seen, get = operands("opencl"), [], Programs.get

    def recorded(self, source):
        if source not in seen:
            seen.append(source)
        return get(self, source)
    Programs.get = recorded
    eval(text, names)
    cygrad.opencl.synchronize()
    for source in seen:
        print(source if whole else source.rpartition("CONTRACT_OFF\n")[2])


def main():
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["graph", "program", "kernel"])
    parser.add_argument("text", help="an expression of a, b and c; the name of a program")
    parser.add_argument("--whole", action="store_true", help="kernels with the definitions before them")
    arguments = parser.parse_args()
    if arguments.what == "kernel":
        kernel(arguments.text, arguments.whole)
    else:
        (graph if arguments.what == "graph" else program)(arguments.text)


if __name__ == "__main__":
    main()
