# Written by docs/make_stubs.py; edit that, not this.
from typing import Any
def load_url(url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True, check_hash: bool =
        False, file_name: str | None = None, weights_only: bool = False) -> Any: ...
