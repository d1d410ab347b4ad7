"""Translates Cython to C for incremental.py: a line of JSON for each file on standard input, "done" or "failed" back.

Cython's messages go to standard error. The collector runs seldom: a tree of nodes lives until its file is written.
"""
import gc
import json
import os
import re
import sys

from Cython.Compiler import ExprNodes, Nodes
from Cython.Compiler.Errors import CompileError, PyrexError
from Cython.Compiler.Main import CompilationOptions, compile_single

BACKEND = "cygrad.backend.Backend"
make_wrapper = getattr(Nodes.CFuncDefNode, "declare_cpdef_wrapper", None)       # None: another Cython has no such
call_self = getattr(Nodes.CFuncDefNode, "call_self_node", None)


def translate(source, target, name, include_path, directives, shared):
    """Write the C code of one module; True if there were no errors."""
    if source.endswith(".c"):           # the module of what others share, which has no source of its own
        from Cython.Build.SharedModule import generate_shared_module
        generate_shared_module(CompilationOptions(shared_c_file_path=target, include_path=include_path,
                                                  compiler_directives=directives))
        return True
    options = CompilationOptions(include_path=include_path, compiler_directives=directives, output_file=target,
                                 shared_utility_qualified_name=shared)
    try:
        if compile_single(source, options, full_module_name=name).num_errors:
            return False
        shorten_import(target)
        return True
    except (CompileError, PyrexError, OSError) as error:
        print(error, file=sys.stderr)
        return False


def shorten_import(target):
    """Make what a module runs once, as it is imported, small: it was a fifth of the core's machine code.

    * Globals are looked up without a cache, where one only misses: 60 bytes each.
    * An import that fails forgets what it was working on instead of releasing it: each line would set the places of all
      other objects to NULL, 40 bytes, for the case that it fails.
    * How it fails is written once, not after each line: the compiler may not know that a module's texts are there.
    * The lengths of texts are a table, not code that writes them to the stack one by one: 17 bytes each.
    * Texts are unpacked by one function for all modules, which the compiler may not fit to each; which Python a module
      is for is not asked, since the library's name tells it.
    """
    with open(target, encoding="utf-8") as file:
        text = file.read()
    text = text.replace("  int stringtab_initialized = 0;", "  volatile int stringtab_initialized = 0;")
    text = re.sub(r"^    const struct \{ const unsigned int length: (\d+); \}", table_of_lengths, text, flags=re.MULTILINE)
    text = text.replace("static CYTHON_SMALL_CODE PyObject *__Pyx_DecompressString_LZSS(",
                        "#if defined(__GNUC__) && !defined(__clang__)\n__attribute__((noipa))\n#endif\n"
                        "static CYTHON_SMALL_CODE PyObject *__Pyx_DecompressString_LZSS(")
    text = re.sub(r"^  if \(__Pyx_check_binary_version\(.*\n", "", text, flags=re.MULTILINE)
    before, mark, after = text.partition("/*--- Execution code ---*/")
    body, end, rest = after.partition("\n}\n")
    body = body.replace("__Pyx_GetModuleGlobalName(", "__Pyx_GetModuleGlobalNameUncached(")
    run, failed, ending = body.rpartition("\n  __pyx_L1_error:;\n")
    ending = re.sub(r"^  __Pyx_XDECREF\(__pyx_t_\d+\);\n", "", ending, flags=re.MULTILINE)
    with open(target, "w", encoding="utf-8") as file:
        file.write(before + mark + run + failed + ending + end + rest)


def table_of_lengths(found):
    """The type of a table of lengths of so many bits."""
    bits = int(found[1])
    kind = "char" if bits <= 8 else "short" if bits <= 16 else "int"
    return f"    static const struct {{ const unsigned {kind} length: {bits}; }}"


def of_backend(node):
    """Whose entry a `cpdef` method is: "own" of `Backend` itself, "inherited" of a class that has it from there, ""."""
    kind = node.type.args[0].type if node.overridable and node.entry.is_cmethod else None
    answer = "own"
    while kind is not None and kind.is_extension_type:
        if kind.entry.qualified_name == BACKEND:
            return answer if any(each.name == node.entry.name for each in kind.scope.cfunc_entries) else ""
        answer, kind = "inherited", kind.base_type
    return ""


class OwnOrInherited(ExprNodes.AttributeNode):
    """What the wrapper of a base class calls: its own function, or what is in its place in a class without a wrapper.

    That class is told by its attribute: it is this wrapper.
    """
    wrapped = None

    def generate_evaluation_code(self, code):
        self.interned = code.intern_identifier(self.attribute)
        super().generate_evaluation_code(code)

    def calculate_access_code(self):
        found = f"_PyType_Lookup(Py_TYPE((PyObject *){self.obj.result()}), {self.interned})"
        return (f"(__Pyx_IsSameCFunction({found}, (void(*)(void)) {self.wrapped.py_func.entry.func_cname}) ? "
                f"{super().calculate_access_code()} : {self.wrapped.entry.func_cname})")


def wrapper_unless_inherited(self, env):
    """Python finds the wrapper that a base class has for an entry of a backend: a kilobyte for each entry."""
    if of_backend(self) != "inherited":
        make_wrapper(self, env)


def call_own_or_inherited(self, *args, **kwargs):
    """The body of a wrapper."""
    made = call_self(self, *args, **kwargs)
    if of_backend(self) == "own":
        given = made.value.args
        made.value.function = OwnOrInherited(self.pos, obj=given[0], attribute=self.entry.name, wrapped=self)
        made.value.args = given[1:]
    return made


def main():
    if make_wrapper and call_self:
        Nodes.CFuncDefNode.declare_cpdef_wrapper = wrapper_unless_inherited
        Nodes.CFuncDefNode.call_self_node = call_own_or_inherited
    gc.set_threshold(200_000, 50, 100)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)                       # what Cython prints must not be taken for an answer
    for line in sys.stdin:
        print("done" if translate(**json.loads(line)) else "failed", file=answers, flush=True)


if __name__ == "__main__":
    main()
