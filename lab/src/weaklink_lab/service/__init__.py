"""The service itself: what an operator would run; it knows nothing of faults."""
