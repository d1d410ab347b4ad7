"""What stands in for a batch inside `vmap`, and the rules by which ops take it."""
