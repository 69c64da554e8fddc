"""Finds the weak link in an AI service's chain, proves it, and holds the service up."""

__version__ = "0.1.0"
