"""Whole programs: the dialect, what is common, and the parts of the library that a kernel's text asks for."""
import re
from functools import lru_cache
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent / "templates"
_PARTS = {                      # template: (suffixes it is written for, what its functions are called)
    "integer": ("u8", "i8", "i16", "i32", "i64"),
    "real": ("f32", "f64"),
    "complex": ("c64", "c128"),
}


@lru_cache(None)
def template(name):
    """The text of a file in templates/."""
    return (_FOLDER / f"{name}.h").read_text()


def assemble(traits, group, body):
    """The program of `body`, kernels written with the words of the templates.

    Functions named ``NAME_SUFFIX`` come from the templates integer, real and complex, written out for the suffixes used.
    """
    used = set(re.findall(r"\w_([uifc]\d+)\b", body))
    used |= {"f" + str(int(suffix[1:]) // 2) for suffix in used if suffix[0] == "c"}
    defines = {"PROCESSOR": int(traits.processor), "FP64": int(traits.fp64), "GROUP": group}
    parts = [f"#define {name} {value}\n" for name, value in defines.items()]
    parts += [template(traits.dialect), template("common")]
    for part, suffixes in _PARTS.items():
        for suffix in suffixes:
            if suffix in used:
                parts.append(_written_for(part, suffix))
    return "".join(parts) + body


def _written_for(part, suffix):
    """A template with T, its real type and the functions' suffix filled in."""
    real = "f" + str(int(suffix[1:]) // 2) if suffix[0] == "c" else suffix
    names = {"T": suffix, "S": suffix, "R": real, "RS": real, "MAKE": suffix.upper(), "WIDTH": suffix[1:]}
    return re.sub(r"\$\{?(\w+)\}?", lambda match: names[match[1]], template(part))
