"""Random programs in the words of a user, for test_programs_parity.py: lists of statements drawn from a seed.

What an oracle leaves open is not drawn: uninitialised numbers, the signs of LAPACK's vectors, the last digits of long
sums. Each family is a function of a `random.Random` that returns a program.
"""

import re

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
          "complex128"]

# ------------------------------------------------------------------------ printing

STYLES = [
    lambda r: f"{r.randrange(-20, 20)}.0", lambda r: repr(round(r.gauss(0, 1), 4)), lambda r: repr(r.random()),
    lambda r: repr(r.gauss(0, 1) * 10.0 ** r.randrange(-6, 6)), lambda r: repr(r.gauss(0, 1) * 10.0 ** r.randrange(-3,
                                                                                                                   4)),
    lambda r: r.choice(["float('nan')", "float('inf')", "-float('inf')", "0.0", "-0.0", "1.5"]),
    lambda r: r.choice(["1e-4", "1e8", "1e-5", "99999.0", "1000.0", "0.001", "12345.678"]), lambda r: "0.0"]
SHAPES = [(), (1,), (2,), (3,), (5,), (12,), (30,), (2, 3), (3, 3), (1, 4), (4, 1), (6, 9), (2, 2, 2), (2, 1, 3), (0,),
          (2, 0), (1, 1, 1, 1), (2, 3, 2, 2), (8, 25)]
OPTIONS = ["precision=2", "precision=6", "threshold=10", "edgeitems=2", "linewidth=40", "sci_mode=True",
           "sci_mode=False",
           "profile='short'", "profile='full'", "linewidth=120", "precision=0", "edgeitems=1, threshold=5"]
SHOWN = """x; x.requires_grad_(); x.requires_grad_() * 2; x.t(); [x]; (x, 1); {'a': x}; x.sum(); x.max(0)
    torch.sort(x, stable=True)
    x.shape; x.unbind(); x[0]; str(x); f'{x}'; x.tolist(); x.item(); x.numpy(); x.to(torch.float64); x.dtype, x.device
    torch.unique(x, return_counts=True); x.topk(1); x.detach(); '%s' % x; x.size(); print(x); print(x, x.T); x.median(0)
    x.type(); x.half(); x.int(); f'{x.sum().item():.3f}'; torch.stack([x, x]); x == x; bool(x); float(x); int(x); len(x)
    list(x); complex(x); x.is_leaf, x.requires_grad; x.layout; x.unsqueeze(0); x.min(); x.argmax(); x > 1; -x
    x.isnan(); x.sign(); x.long().bincount(); x.cummax(0); x.kthvalue(1); x.mode(0); x.nonzero(); x.aminmax()"""
SHOWN = [part.strip() for line in SHOWN.splitlines() for part in line.split(";")]


def number(r, dtype, style):
    if dtype == "bool":
        return str(r.random() < 0.5)
    if dtype in ("uint8", "int8"):
        return str(r.randrange(256) if dtype == "uint8" else r.randrange(-128, 128))
    if dtype.startswith("int"):
        return str(r.randrange(-10 ** r.randrange(1, 5), 10 ** r.randrange(1, 5)))
    draw = STYLES[style % len(STYLES)] if style < len(STYLES) else r.choice(STYLES)
    return f"complex({draw(r)}, {draw(r)})" if dtype.startswith("complex") else draw(r)


def nested(r, shape, dtype, style):
    if not shape:
        return number(r, dtype, style)
    return "[" + ", ".join(nested(r, shape[1:], dtype, style) for _ in range(shape[0])) + "]"


def printing(r):
    """A tensor of any dtype and magnitude, under some options, and something made of it."""
    dtype = r.choice(DTYPES) if r.random() < 0.6 else "float32"
    program = [f"x = torch.tensor({nested(r, r.choice(SHAPES), dtype, r.randrange(9))}, dtype=torch.{dtype})",
               r.choice(SHOWN), "x"]
    if r.random() < 0.35:
        program = [f"torch.set_printoptions({r.choice(OPTIONS)})", *program,
                   "torch.set_printoptions(profile='default')"]
    return program


# --------------------------------------------------------------------------- views

def axis(r, rank):
    """An axis, now and then one that is not there."""
    if r.random() < 0.06:
        return r.choice([rank, rank + 1, -rank - 1, -rank - 2, 7])
    return r.randrange(-rank, rank) if rank else r.choice([0, -1])


def key(r, rank):
    parts = [r.choice([str(r.randrange(-3, 3)), ":",
                       f"{r.choice(['', r.randrange(-3, 3)])}:{r.choice(['', r.randrange(5)])}",
                       f"::{r.choice([1, 2, 3, -1, 0])}", "None", "..."]) for _ in range(r.randrange(1, max(2,
                                                                                                            rank + 2)))]
    return f"[{', '.join(parts)}]"


def view(r, shape):
    """A view op on a tensor of this shape."""
    rank, sizes = len(shape), list(shape)
    r.shuffle(sizes)

    def some(n):
        return [r.choice([1, 2, 3, 4, 6, 12, -1, -1, -2]) for _ in range(n)]

    def a():
        return axis(r, rank)

    wide = [r.choice([2, 3, s]) if s == 1 else s for s in [1] * r.randrange(2) + list(shape)] or [2]
    order = r.sample(range(rank), rank) if rank else [0]
    kinds = [
        f".transpose({a()}, {a()})", f".permute({', '.join(map(str, order))})", f".squeeze({a()})", ".squeeze()",
        f".unsqueeze({axis(r, rank + 1)})", f".select({a()}, {r.randrange(-4, 5)})", ".view(-1)", ".reshape(-1)",
        f".narrow({a()}, {r.randrange(-2, 4)}, {r.randrange(-1, 4)})", f".view({', '.join(map(str, sizes + [1]))})",
        f".view({', '.join(map(str, some(r.randrange(1, 4))))})", f".reshape({some(r.randrange(0, 4))})", ".t()", ".T",
        f".flatten({r.choice(['', a(), f'{a()}, {a()}'])})", f".expand({', '.join(map(str, wide))})", ".mT",
        f".expand({some(r.randrange(1, 4))})", f".unfold({a()}, {r.randrange(0, 4)}, {r.randrange(0, 3)})",
        f".diagonal({r.choice(['', r.randrange(-3, 3), f'{r.randrange(-3, 3)}, {a()}, {a()}'])})",
        f".movedim({a()}, {a()})",
        f".swapaxes({a()}, {a()})", f".unbind({a()})[{r.randrange(-2, 2)}]", f".split({r.randrange(1, 4)}, {a()})[0]",
        f".chunk({r.randrange(0, 4)}, {a()})[0]", f".unflatten({a()}, {tuple(some(2))})", f".flip({a()})",
        f".roll({r.randrange(-2, 3)}, {a()})", ".contiguous()", ".clone()", ".real", ".ravel()",
        (f".as_strided({tuple(r.choice([1, 2, 3, 5]) for _ in range(2))}, "
         f"({r.randrange(3)}, {r.randrange(4)}), {r.randrange(3)})"),
        f".view(torch.{r.choice(['float32', 'int32', 'uint8', 'int64', 'bool', 'float64', 'int16'])})",
        f".tensor_split({r.randrange(-1, 4)}, {a()})[0]", f".expand_as(torch.ones({tuple(map(abs, some(2)))}))"]
    return huge(r, key(r, rank) if r.random() < 0.25 else r.choice(kinds))


def huge(r, text):
    """Now and then with a number that sizes, strides and products of them don't hold, where nothing is computed."""
    is_view = re.match(r"\[|\.(narrow|select|view|expand|unsqueeze|unfold|as_strided)\(", text)
    places = list(re.finditer(r"\b\d+\b", text)) if is_view and r.random() < 0.1 else ()
    if not places:
        return text
    place = r.choice(places)
    return text[:place.start()] + str(r.choice([2**31, 2**62, 2**63 - 1])) + text[place.end():]


def views(r, m):
    """A chain of view ops, wrong ones among them, and the geometry after each; `m` tells the shapes on the way."""
    shape = tuple(r.choice([1, 2, 3, 4, 5]) for _ in range(r.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])))
    count = 1
    for n in shape:
        count *= n
    dtype = r.choice(["float32", "float64", "int64", "int32", "uint8", "bool", "float16"])
    program = [f"x = torch.arange({count}.).reshape({shape}).to(torch.{dtype})"]
    names = {"torch": m}
    exec(program[0], names)
    for _ in range(r.randrange(1, 5)):
        statement = f"x = x{view(r, tuple(names['x'].shape))}"
        before = names["x"]
        try:
            exec(statement, names)
        except Exception:
            names["x"] = before
        if names["x"].numel() > 2000:
            names["x"] = before
            continue
        program += [statement, "x.shape, x.stride(), x.storage_offset(), x.is_contiguous(), x.dtype, x._is_view()"]
    return program + ["x"]


# ----------------------------------------------------------------------- promotion

VALUES = {"bool": ["True", "False"], "uint8": ["0", "1", "2", "3", "7", "100"], "int": ["-3", "-1", "0", "1", "2", "3",
                                                                                        "100"],
          "float": ["0.5", "-1.5", "2.0", "3.25", "0.0", "1e3"], "complex": ["1+2j", "0.5j", "-1.5", "2"]}
NUMBERS = ["2", "-1", "True", "0.5", "2.5", "1j", "0", "3", "False", "100000"]
BINARY = """add sub mul div floor_divide remainder fmod maximum minimum atan2 eq ne lt le gt ge logical_and logical_or
    logical_xor bitwise_and bitwise_or bitwise_xor hypot gcd lcm xlogy fmax heaviside true_divide isclose subtract
    multiply
    divide outer dot matmul where clamp lerp addcmul cat stack masked_fill result_type inner mv mm""".split()
UNARY = """abs neg floor ceil round trunc sign square logical_not bitwise_not isnan isfinite frac positive conj real sgn
    signbit isinf isreal nan_to_num sum mean prod max min any all amax amin argmax argmin count_nonzero aminmax sort
    unique
    exp sqrt reciprocal sigmoid""".split()
OPERATORS = ["+", "-", "*", "/", "//", "%", "==", "<", ">=", "&", "|", "^", "<<", ">>"]


def tensor(r, rank=None, dtypes=tuple(d for d in DTYPES if d != "float16")):
    dtype = r.choice(dtypes)
    values = VALUES.get(dtype) or VALUES["int" if dtype.startswith("int") else
                                         "complex" if dtype.startswith("complex") else "float"]
    rank = r.choice([0, 0, 1, 1, 2]) if rank is None else rank
    one = f"[{r.choice(values)}, {r.choice(values)}]"
    return f"torch.tensor({(r.choice(values), one, f'[{one}, {one}]')[rank]}, dtype=torch.{dtype})"


def promotion(r):
    """An op on tensors and numbers of mixed dtypes and ranks: function, method, operator, in place."""
    name = r.choice(BINARY + UNARY + ["operator"] * 20)
    first, second = tensor(r), tensor(r) if r.random() < 0.6 else r.choice(NUMBERS)
    if name == "operator":
        if r.random() < 0.25:
            return [f"a = {first}", f"a {r.choice(['+', '-', '*', '/', '//', '%', '&', '|', '^'])}= {second}", "a"]
        pair = (first, second) if r.random() < 0.7 else (second, first)
        return [f"({pair[0]}) {r.choice(OPERATORS)} ({pair[1]})"]
    if name in UNARY:
        if r.random() < 0.2:
            return [f"a = {first}", f"a.{name}_()", "a"]
        part = ", dim=0" if name in ("sum", "mean", "amax", "any") and r.random() < 0.4 else ""
        return [f"torch.{name}({first}{part})"]
    if name == "where":
        return [f"torch.where({tensor(r)}, {first}, {second})"]
    if name in ("lerp", "addcmul"):
        return [f"torch.{name}({first}, {tensor(r)}, {tensor(r) if name == 'addcmul' else second})"]
    if name in ("cat", "stack"):
        return [f"torch.{name}([{tensor(r, 1)}, {tensor(r, 1)}])"]
    if name in ("dot", "outer", "inner"):
        return [f"torch.{name}({tensor(r, 1)}, {tensor(r, 1)})"]
    if name in ("mm", "mv"):
        return [f"torch.{name}({tensor(r, 2)}, {tensor(r, 2 if name == 'mm' else 1)})"]
    if name == "masked_fill":
        return [f"{first}.masked_fill({tensor(r, dtypes=['bool'])}, {second})"]
    if name == "clamp":
        return [f"torch.clamp({first}, {r.choice([second, 'None'])}, {r.choice(NUMBERS)})"]
    if r.random() < 0.2:
        return [f"a = {first}", f"a.{name}_({second})", "a"]
    return [f"{first}.{name}({second})" if r.random() < 0.4 else f"torch.{name}({first}, {second})"]


# ------------------------------------------------------------------------ autograd

LEAVES = ["torch.tensor([1., 2.], requires_grad=True)", "torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)",
          "torch.tensor(2., requires_grad=True)", "torch.ones(2, 2, requires_grad=True)", "torch.tensor([3., 4.])",
          "torch.full((2,), 0.5, requires_grad=True)", "torch.ones(2, 2, dtype=torch.float64, requires_grad=True)"]
STEPS = """# * 2; # + 1; # ** 2; -#; #.relu(); #.abs(); 1 / #; #.clone(); #.t(); #.view(-1); #.sum(); #.mean(); #[0]
    #.reshape(2, 2); #.detach(); #.expand(2, 2); #.max(); #.cumsum(0); #.unsqueeze(0); #.squeeze(); #.flatten()
    #.prod()
    #.double(); #.float(); #.sum(0); #.max(0)[0]; #.sort()[0]; #.clamp(0, 1); #.pow(3); #.square(); #.data; #.flip(0)
    #.roll(1); #.repeat(2); #.sum().item(); #.int(); # > 1; #.unbind()[0]; #.chunk(2)[0]; #[:1]; #[..., None]; #[[0]]
    #.amax(0); #.sign(); #.floor(); #.narrow(0, 0, 1); #.split(1)[0]; #.movedim(0, 0); #.mT; # + #; # * #; # - #; # / #
    # @ #; torch.cat([#, #]); torch.stack([#, #]); torch.where(# > 1, #, #); torch.maximum(#, #); #.dot(#)
    torch.mm(#, #)
    #.add(#, alpha=2); torch.outer(#, #); #.masked_fill(# > 1, 0.); #.requires_grad_(False); #.median(); #.diag()"""
CHANGES = """#.add_(1); #.mul_(2); #[0] = 0; #.zero_(); #.copy_(#); # += 1; #.data.mul_(3); #.detach_()
    #.requires_grad_()
    #.fill_(1); #.sub_(#); #[0].mul_(2); #.view(-1).add_(1); #.grad.zero_(); #.grad = None; #.t_()
    #.data = torch.zeros(2)
    #.grad = torch.ones(3); #.clamp_(0); #.unsqueeze_(0); #.detach().add_(1); #.masked_fill_(# > 0, 1.)"""
PASSES = """~.backward(); ~.sum().backward(); ~.backward(retain_graph=True); ~.backward(torch.ones(2)); ~.retain_grad()
    ~.backward(torch.ones_like(~)); torch.autograd.grad(~, a); torch.autograd.grad(~.sum(), [a, b])
    torch.autograd.grad(~.sum(), a, create_graph=True); torch.autograd.grad(~.sum(), [a, b], allow_unused=True)
    ~.register_hook(lambda g: g * 2); ~.register_hook(lambda g: print('hook', g)); ~.sum().backward(create_graph=True)
    torch.autograd.backward([~.sum(), ~.sum()]); ~.backward(torch.tensor(2.)); ~.sum().backward(retain_graph=True)
    torch.autograd.grad(~.sum(), a, retain_graph=True)"""
ASKED = """#; #.grad; #.grad_fn; #.requires_grad, #.is_leaf; #.grad_fn.next_functions; #._version; #.grad_fn.name()
    #.retains_grad; #.numpy(); #.output_nr; type(#.grad_fn).__name__; #.grad.grad_fn; #.item(); float(#)
    #.is_inference()
    #._backward_hooks is None; #.grad_fn.metadata; #._base is None"""
STEPS, CHANGES, PASSES, ASKED = ([part.strip() for line in text.splitlines() for part in line.split(";")]
                                 for text in (STEPS, CHANGES, PASSES, ASKED))


def filled(r, text, names):
    while "#" in text:
        text = text.replace("#", r.choice(names), 1)
    return text


def autograd(r):
    """Leaves, steps, in-place changes, passes; and what is asked of tensors and nodes in between."""
    program, names = [f"a = {r.choice(LEAVES[:4])}", f"b = {r.choice(LEAVES)}"], ["a", "b"]
    for name in "cdefg"[:r.randrange(1, 6)]:
        if r.random() < 0.12:
            program.append(filled(r, r.choice(CHANGES), names))
        step = f"{name} = {filled(r, r.choice(STEPS), names)}"
        program.append(f"with torch.no_grad(): {step}" if r.random() < 0.06 else step)
        names.append(name)
        if r.random() < 0.3:
            program.append(filled(r, r.choice(ASKED), names))
    for _ in range(r.randrange(1, 4)):
        if r.random() < 0.65:
            program.append(r.choice(PASSES).replace("~", names[-1] if r.random() < 0.8 else r.choice(names)))
        else:
            program.append(filled(r, r.choice(CHANGES), names))
        program.append(filled(r, r.choice(ASKED), names))
    return program + ["a.grad", "b.grad", names[-1]]
