# Written by docs/make_stubs.py; edit that, not this.
from cygrad.distributed.process_group import ProcessGroup
from os import PathLike
from typing import Any
from cygrad.distributed.checkpoint import filesystem as filesystem, stateful as stateful
from cygrad.distributed.checkpoint.filesystem import (FileSystemReader as FileSystemReader, FileSystemWriter as
    FileSystemWriter, load_state_dict as load_state_dict, save_state_dict as save_state_dict)
from cygrad.distributed.checkpoint.stateful import Stateful as Stateful
class CheckpointException(Exception):
    failures: dict[str, Any]
    def __init__(self, what: Any, failures: Any) -> None: ...
def async_save(state_dict: dict[Any, Any], *, checkpoint_id: str | str | PathLike[str] | None = None, storage_writer:
        FileSystemWriter | None = None, process_group: ProcessGroup | None = None, no_dist: bool = False) -> Any: ...
def load(state_dict: dict[Any, Any], *, checkpoint_id: str | str | PathLike[str] | None = None, storage_reader:
        FileSystemReader | None = None, process_group: ProcessGroup | None = None, no_dist: bool = False) -> Any: ...
def save(state_dict: dict[Any, Any], *, checkpoint_id: str | str | PathLike[str] | None = None, storage_writer:
        FileSystemWriter | None = None, process_group: ProcessGroup | None = None, no_dist: bool = False) -> None: ...
