"""What every kernel of the CPU backend stands on: memory, threads, instruction sets, OpenBLAS."""
