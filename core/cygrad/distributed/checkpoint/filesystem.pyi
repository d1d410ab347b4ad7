# Written by docs/make_stubs.py; edit that, not this.
from cygrad.distributed.process_group import ProcessGroup
from os import PathLike
from typing import Any
class FileSystemReader:
    path: Any
    checkpoint_id: Any
    def __init__(self, path: str | str | PathLike[str]) -> None: ...
class FileSystemWriter:
    path: Any
    checkpoint_id: Any
    overwrite: bool
    def __init__(self, path: str | str | PathLike[str], single_file_per_rank: bool = True, sync_files: bool = True,
            thread_count: int = 1, per_thread_copy_ahead: int = 10000000, cache_staged_state_dict: bool = False,
            overwrite: bool = True) -> None: ...
def dcp_to_torch_save(dcp_checkpoint_dir: str | str | PathLike[str], torch_save_path: str | str |
        PathLike[str]) -> None: ...
def load_state_dict(state_dict: dict[Any, Any], storage_reader: FileSystemReader, process_group: ProcessGroup | None =
        None, coordinator_rank: int = 0, no_dist: bool = False) -> None: ...
def save_state_dict(state_dict: dict[Any, Any], storage_writer: FileSystemWriter, process_group: ProcessGroup | None =
        None, coordinator_rank: int = 0, no_dist: bool = False) -> None: ...
def torch_save_to_dcp(torch_save_path: str | str | PathLike[str], dcp_checkpoint_dir: str | str |
        PathLike[str]) -> None: ...
