"""Keeps what was seen: Cases on disk, later the readings of the black box; knows no probe."""
