"""`cygrad.profiler`: what a program's time goes to, kernel by kernel, as `torch.profiler` shows it.

`profile_runs.py` sees the calls of kernels (by `cygrad.backends.watch`) and the ranges that users name,
`event_tables.py` adds them up and prints them.
"""
from cygrad.profiler.event_tables import EventList, FunctionEvent, FunctionEventAvg
from cygrad.profiler.profile_runs import (ProfilerAction, ProfilerActivity, profile, record_function, schedule,
                                          supported_activities, tensorboard_trace_handler)

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "ProfilerAction", "ProfilerActivity", "profile",
           "record_function", "schedule", "supported_activities", "tensorboard_trace_handler"]
