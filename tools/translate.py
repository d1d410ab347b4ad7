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
        return compile_single(source, options, full_module_name=name).num_errors == 0
    except (CompileError, PyrexError, OSError) as error:
        print(error, file=sys.stderr)
        return False


def main():
    gc.set_threshold(200_000, 50, 100)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)                       # what Cython prints must not be taken for an answer
    for line in sys.stdin:
        print("done" if translate(**json.loads(line)) else "failed", file=answers, flush=True)


if __name__ == "__main__":
    main()
