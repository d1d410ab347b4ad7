"""Translates Cython to C for incremental.py: a line of JSON for each file on standard input, "done" or "failed" back.

Cython's messages go to standard error. The collector runs seldom: a tree of nodes lives until its file is written.
"""
import gc
import json
import os
import sys

from Cython.Compiler.Errors import CompileError, PyrexError
from Cython.Compiler.Main import CompilationOptions, compile_single


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
        ask_anew_at_import(target)
        return True
    except (CompileError, PyrexError, OSError) as error:
        print(error, file=sys.stderr)
        return False


def ask_anew_at_import(target):
    """Let a module look up its globals without a cache as it is imported, where one only misses: 60 bytes each."""
    with open(target, encoding="utf-8") as file:
        before, mark, after = file.read().partition("/*--- Execution code ---*/")
    body, end, rest = after.partition("\n}\n")
    body = body.replace("__Pyx_GetModuleGlobalName(", "__Pyx_GetModuleGlobalNameUncached(")
    with open(target, "w", encoding="utf-8") as file:
        file.write(before + mark + body + end + rest)


def main():
    gc.set_threshold(200_000, 50, 100)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)                       # what Cython prints must not be taken for an answer
    for line in sys.stdin:
        print("done" if translate(**json.loads(line)) else "failed", file=answers, flush=True)


if __name__ == "__main__":
    main()
