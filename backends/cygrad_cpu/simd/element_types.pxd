"""The element types of kernels by their names, and the families that loops are compiled for."""

ctypedef unsigned char uint8
ctypedef signed char int8
ctypedef short int16
ctypedef int int32
ctypedef long long int64
ctypedef unsigned short uint16
ctypedef unsigned int uint32
ctypedef unsigned long long uint64

cdef fused Integer:
    uint8
    int8
    int16
    int32
    int64

cdef fused Real:
    float
    double

cdef fused Number:
    uint8
    int8
    int16
    int32
    int64
    float
    double

cdef fused Complex:
    float complex
    double complex
