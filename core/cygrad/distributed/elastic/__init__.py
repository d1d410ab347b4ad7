"""PyTorch's place for what starts processes again; here `python -m cygrad.distributed.run` does (`run.py`)."""
