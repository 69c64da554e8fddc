"""A real AI-video service that is broken on purpose, to see whether Weaklink finds out why."""

__version__ = "0.1.0"
