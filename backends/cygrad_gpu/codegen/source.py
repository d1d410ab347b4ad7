"""Whole programs: the dialect, what is common, and of the library the functions that a kernel's text reaches."""
import re
from functools import lru_cache
from pathlib import Path

import cygrad.formulas

from cygrad_gpu.codegen import walks

_FOLDER = Path(__file__).resolve().parent / "templates"
_FORMULAS = ("exponential", "special", "trigonometry", "power", "division")      # of cygrad.formulas
_KINDS = {"integer": ("u8", "i8", "i16", "i32", "i64"), "real": ("f32", "f64"), "complex": ("c64", "c128")}
_START = re.compile(r"^(?=FUNCTION |/\* )", re.MULTILINE)
_NAME = re.compile(r"FUNCTION \w+ (\w+)\(")
_KERNEL = re.compile(r"KERNEL\((\w+)\)\(")
_OF_GROUPS = re.compile(r"\b(BARRIER|LOCAL)\b")            # which the driver looks for in kernels, not in functions
_PLACE_OF_GROUP = re.compile(r"\bGROUP(S|_ID)\b")
_COMMA = re.compile(r",(?![^(]*\))")
_ARGUMENT = re.compile(r"(const (?:i64|number|axes)|ARRAY\([\w ]+,) ?(\w+\)?)")
_WORD = re.compile(r"[a-z]\w*")


@lru_cache(None)
def template(name):
    """The text of a file in templates/."""
    return (_FOLDER / f"{name}.h").read_text()


def assemble(traits, group, body):
    """The program of `body`, kernels written with the words of the templates, for groups of `group` items."""
    body = walks.written(body, traits.processor)
    defines = {"PROCESSOR": int(traits.processor), "FP64": int(traits.fp64), "GROUP": group}
    parts = [f"#define {name} {value}\n" for name, value in defines.items()]
    parts += [template(traits.dialect), template("common")]
    functions = library(traits.processor and traits.fp64)
    contracted = None                   # products and sums in one rounding: only where formulas are made for it
    for name in _reached(functions, body):
        text, _, may_contract = functions[name]
        if may_contract != contracted:
            parts.append(f"CONTRACT_{'ON' if may_contract else 'OFF'}\n")
            contracted = may_contract
        parts.append(text)
    return "".join(parts) + "CONTRACT_OFF\n" + (_packed(body) if traits.processor else body)


def _packed(text):
    """Kernels whose arguments but for the buffers are one structure of words, for drivers that copy each by itself.

    What a kernel does is a function of its own, its BODY, which takes the words where they lie. See opencl.h.
    """
    found, done = [], 0
    apart = _OF_GROUPS.search(text) is None
    for start in _KERNEL.finditer(text):
        name = start[1]
        stop = _closed(text, start.end(), "()")
        buffers, words, count = [], [], 0
        for argument in _COMMA.split(text[start.end():stop - 1]):
            kind, of = _ARGUMENT.fullmatch(argument.strip()).groups()
            if kind.startswith("ARRAY"):
                kind, of = kind[len("ARRAY("):], of[:-1]
                buffers.append((f"GLOBAL {kind.rstrip(', ')} *", f"{of}_buffer"))
                kind, of = "const i64", of + "_start"
            words.append(f"{kind} {of} = {kind.split()[-1].upper()}_WORD(words_->at, {count});")
            if kind.endswith("axes"):           # as an array, too
                words.append(f"const i64 *{of}_of = words_->at + {count};")
            count += 8 if kind.endswith("axes") else 1
        brace = text.index("{", stop) + 1
        end = _closed(text, brace, "{}")
        listed, names = ", ".join(map("".join, buffers)), ", ".join(of for _, of in buffers)
        body = f"{' '.join(words)}{text[brace:end - 1]}"
        found += [text[done:start.start()], f"typedef struct {{ i64 at[{count}]; }} {name}_words;\n"]
        if apart:
            body = _PLACE_OF_GROUP.sub(lambda match: match[0].lower() + "_", body)
            found.append(f"BODY void {name}_body({listed}, const {name}_words *restrict words_, const i64 group_id_, "
                         f"const i64 groups_) {{\n    BODY_BEGINS {body}BODY_ENDS }}\n")
            body = f"{name}_body({names}, &all_words, GROUP_ID, GROUPS); "
        else:
            body = f"const {name}_words *words_ = &all_words; {body}"
        found.append(f"{start[0]}{listed}, const {name}_words all_words) {{\n    {body}}}")
        done = end
    return "".join(found) + text[done:]


def _closed(text, at, pair):
    """Where the bracket is closed, of this pair, that is open before a place in a text: the place behind it."""
    depth = 1
    while depth:
        depth += {pair[0]: 1, pair[1]: -1}.get(text[at], 0)
        at += 1
    return at


@lru_cache(None)
def library(own_formulas):
    """{name: (text, words, whether it may be contracted)} of every function, in an order in which they may be defined.

    Templates of a kind are written out for each of its types. `own_formulas`: cygrad's formulas, and those of
    angles.h and usual.h, take the place of functions that call the driver's.
    """
    texts = []
    if own_formulas:
        texts = [(cygrad.formulas.text(name), True) for name in _FORMULAS]
        texts += [(template(name), True) for name in ("angles", "usual")]
    for kind, suffixes in _KINDS.items():
        texts += [(_written_for(template(kind), suffix), False) for suffix in suffixes]
    found = {}
    for text, may_contract in texts:
        comment = ""
        for part in _START.split(text):
            name = _NAME.match(part)
            if name is None:
                comment = part
            else:
                found.setdefault(name[1], (comment + part, frozenset(_WORD.findall(part)), may_contract))
                comment = ""
    return found


def _reached(functions, body):
    """Names of the functions that a text calls, and that those call, as the library orders them."""
    reached, waiting = set(), _WORD.findall(body)
    while waiting:
        name = waiting.pop()
        if name in functions and name not in reached:
            reached.add(name)
            waiting += functions[name][1]
    return [name for name in functions if name in reached]


def _written_for(text, suffix):
    """A template with its type $T, functions' suffix $S, real type $R and its suffix $RS, maker $MAKE, bits $WIDTH."""
    real = "f" + str(int(suffix[1:]) // 2) if suffix[0] == "c" else suffix
    names = {"T": suffix, "S": suffix, "R": real, "RS": real, "MAKE": suffix.upper(), "WIDTH": suffix[1:]}
    return re.sub(r"\$(\w+)", lambda match: names[match[1]], text)
