"""Texts of this host's tools, redacted, in one file that `weaklink read` reads elsewhere.

`wanted` is the table of what a person would type, `here` fills it in from the chain, `collect`
gets each text with the hands of `reach`, `hide` disguises addresses and names on demand, `pack`
writes the file.
"""
