"""What builds on collectives: hooks for the exchange of gradients. PyTorch's places."""
