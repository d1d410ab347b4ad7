"""PyTorch's place for what a started process says of its failures (`errors.py`)."""
