"""The catalogue: one file a cause."""
