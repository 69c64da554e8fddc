"""Declarations of quantities, one file a subject."""
