/* Tells the compiler which code only runs on the way to an error: it is laid out apart from the rest.
 *
 * Cython ends each function that may fail with a call of the function below; GCC and Clang move what leads to nothing
 * but the call of a cold function into a section of its own. A call from Python to a kernel runs through a dozen
 * modules, and has to find room for all of them in 32 KB of the processor's cache of instructions.
 *
 * setup.py includes this file in every C file.
 */
static void __Pyx_AddTraceback(const char *funcname, int c_line, int py_line, const char *filename)
    __attribute__((cold, unused));
