"""How an op is declared: the registry of ops, what users call, and ops that have a node of their own."""
