"""`cygrad.utils.benchmark`: times of statements, measured so that they can be compared: warm, by blocks, on one thread.

`timer.py` measures, `measurement.py` holds the times and says what they are worth, `compare.py` prints tables of them.
"""
from cygrad.utils.benchmark.compare import Colorize, Compare
from cygrad.utils.benchmark.measurement import (Measurement, TaskSpec, ordered_unique, select_unit, set_torch_threads,
                                                trim_sigfig, unit_to_english)
from cygrad.utils.benchmark.timer import Language, Timer, timer

__all__ = ["Colorize", "Compare", "Language", "Measurement", "TaskSpec", "Timer", "ordered_unique", "select_unit",
           "set_torch_threads", "timer", "trim_sigfig", "unit_to_english"]
