/* Tells the compiler which code only runs on the way to an error: it is laid out apart from the rest.
 *
 * Cython ends each function that may fail with a call of the function below; GCC and Clang move what leads to nothing
 * but the call of a cold function into a section of its own. A call from Python to a kernel runs through a dozen
 * modules, and has to find room for all of them in 32 KB of the processor's cache of instructions.
 *
 * A module that is optimised for size calls Python's functions that count references, which makes small calls slower
 * by a third. With CYGRAD_COUNT_INLINE they are inline there, too, as Python itself has it from 3.12 on.
 *
 * setup.py includes this file in every C file.
 */
static void __Pyx_AddTraceback(const char *funcname, int c_line, int py_line, const char *filename)
    __attribute__((cold, unused));

#ifdef CYGRAD_COUNT_INLINE
typedef struct _object PyObject;
static inline __attribute__((always_inline)) void Py_INCREF(PyObject *op);
static inline __attribute__((always_inline)) void Py_DECREF(PyObject *op);
static inline __attribute__((always_inline)) void Py_XDECREF(PyObject *op);
#endif
