"""Text of kernels: dialects, formulas, programs as statements, walks over rows."""
