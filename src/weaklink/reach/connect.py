"""Opens a connection to an address as a process of its network namespace would."""

from __future__ import annotations

import os
import socket
from typing import NamedTuple

from weaklink.model.message import say
from weaklink.reach.host import NotAllowed
from weaklink.reach.namespaces import in_netns
from weaklink.reach.root import resolve_below
from weaklink.words import texts

texts(
    {
        "connect.bad-address": "not an address that can be connected to: {address}",
        "connect.link-local": "{address} is link-local (cloud metadata lives there): not asked",
    }
)

MAX_UNIX_PATH = 107
"""Bytes of a unix socket's path, unix(7)."""
WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "*": "127.0.0.1", "": "127.0.0.1"}
"""Where a listener on every address is reached from its own namespace."""


class Address(NamedTuple):
    """Where to connect: `unix` a path or an `@name`, else a host and a port."""

    unix: str
    host: str
    port: int


def parse_address(text: str) -> Address:
    """`ip:port`, `[ip6]:port`, `name:port` or `unix:/path`; raises NotAllowed for anything else."""
    if text.startswith("unix:"):
        name = text.removeprefix("unix:")
        if name.startswith(("/", "@")) and "\x00" not in name:
            return Address(name, "", 0)
        raise NotAllowed(say("connect.bad-address", address=text))
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not port.isdigit() or not 0 < int(port) < 65536 or "\x00" in host:
        raise NotAllowed(say("connect.bad-address", address=text))
    return Address("", WILDCARDS.get(host, host), int(port))


def connect(
    address: str,
    *,
    pid: int | None = None,
    timeout: float = 1.0,
    in_root_of: int | None = None,
) -> socket.socket:
    """A connected socket with that timeout, made inside the namespace of process `pid`.

    A path of a unix socket is taken below the root of `in_root_of` (default: `pid`). A name is
    resolved once. Raises NotAllowed (namespace, link-local or bad address), NotHere (the process
    is gone), TooLate, and OSError as connect(2) has it: ConnectionRefusedError, TimeoutError,
    FileNotFoundError, PermissionError.
    """
    where = parse_address(address)
    if where.unix:
        owner = pid if in_root_of is None else in_root_of
        if where.unix.startswith("@") and pid is not None:
            return in_netns(pid, lambda: _unix(where.unix, None, timeout), seconds=timeout + 0.5)
        return _unix(where.unix, owner, timeout)
    if pid is None:
        return _tcp(where, timeout)
    return in_netns(pid, lambda: _tcp(where, timeout), seconds=timeout + 0.5)


def _tcp(where: Address, timeout: float) -> socket.socket:
    family, host = resolve(where.host, where.port)
    link = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        link.settimeout(timeout)
        link.connect((host, where.port))
    except BaseException:
        link.close()
        raise
    return link


def resolve(host: str, port: int) -> tuple[socket.AddressFamily, str]:
    """Family and number of a host, resolved once so that a second answer cannot differ.

    Raises NotAllowed for a link-local one, OSError where the name is unknown.
    """
    import ipaddress

    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        family, _, _, _, found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        number = ipaddress.ip_address(str(found[0]).partition("%")[0])
    mapped = getattr(number, "ipv4_mapped", None)
    if number.is_link_local or (mapped is not None and mapped.is_link_local):
        raise NotAllowed(say("connect.link-local", address=host))
    family = socket.AF_INET if number.version == 4 else socket.AF_INET6
    return family, str(number)


def _unix(name: str, root_of: int | None, timeout: float) -> socket.socket:
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    folder = -1
    try:
        link.settimeout(timeout)
        if name.startswith("@"):
            link.connect(b"\x00" + os.fsencode(name[1:]))
            return link
        path = name if root_of is None else resolve_below(f"/proc/{root_of}/root", name)
        if len(os.fsencode(path)) > MAX_UNIX_PATH:
            # A path too long for the call is reached through its folder's descriptor.
            parent, base = os.path.split(path)
            folder = os.open(parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            path = f"/proc/self/fd/{folder}/{base}"
        link.connect(path)
    except BaseException:
        link.close()
        raise
    finally:
        if folder >= 0:
            os.close(folder)
    return link
