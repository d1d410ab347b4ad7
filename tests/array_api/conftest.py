"""What SciPy and scikit-learn read when they are imported: whether they take arrays of other libraries."""
import os

os.environ["SCIPY_ARRAY_API"] = "1"
