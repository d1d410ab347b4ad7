"""Products of float32 and float64 matrices by our own kernel, where it beats BLAS; the unit of work is a thread's.

OpenBLAS picks its kernels by the processor's name, and runs at half the speed of the vector units on those that its
release does not know yet; kernels/gemm.pyx asks for the instruction set alone.
"""
from cygrad_cpu.isa cimport install_kernels

cdef GemmTable table
install_kernels("gemm", &table)


cdef bint multiplies() noexcept nogil:
    return table.product[0] != NULL


cdef void multiply(const Product *product) noexcept nogil:
    cdef Product turned
    if product.out_strides[1] == 1 or product.n == 1 and product.out_strides[0] != 1:
        table.product[product.kind](product)
        return
    turned = product[0]                             # the transposed result, of the transposed factors
    turned.a, turned.b, turned.m, turned.n = product.b, product.a, product.n, product.m
    turned.a_strides[0], turned.a_strides[1] = product.b_strides[1], product.b_strides[0]
    turned.b_strides[0], turned.b_strides[1] = product.a_strides[1], product.a_strides[0]
    turned.out_strides[0], turned.out_strides[1] = product.out_strides[1], product.out_strides[0]
    table.product[product.kind](&turned)
