"""Disguises addresses and host names, the same way throughout one bundle.

Addresses keep their relations: two that share a network still share one (prefix-preserving
anonymisation after Xu, Fan, Ammar and Moon, "Prefix-preserving IP address anonymization", 2002,
with HMAC in place of their cipher), so that a route's next hop still lies in its network. Left as
they are: loopback, wildcard, link-local, multicast, netmasks, and which private range it is. Of a
hardware address the maker stays. The secret is of one run and kept nowhere.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache
from secrets import token_bytes

ADDRESSES, NAMES = "addresses", "names"
WHAT = (ADDRESSES, NAMES)
_IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?=[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:)[0-9A-Fa-f:]{3,39}(?![\w])")
_MAC = re.compile(r"(?<![\w:-])((?:[0-9A-Fa-f]{2}[:-]){3})((?:[0-9A-Fa-f]{2}[:-]){2}[0-9A-Fa-f]{2})"
                  r"(?![\w:-])")  # fmt: skip
_URL_HOST = re.compile(r"(?<=://)([A-Za-z0-9_](?:[\w-]*\.)*[\w-]*[A-Za-z][\w-]*)")
_LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"})
_NO_NETWORK = ("ip6-", "localhost")
_KEPT_V4 = tuple(
    ipaddress.IPv4Network(net)
    for net in ("127.0.0.0/8", "0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3")
)
"""Loopback, this host, link-local; multicast, reserved and netmasks (255.255.255.0)."""
_RANGES_V4 = tuple(
    ipaddress.IPv4Network(net) for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
)
PUBLIC_BITS = 8
"""Leading bits of a public address that stay, so that none becomes a private or special one."""
V6_BITS = 16
MIN_NAME = 3
"""Characters of a host's name below which it is too common a word to be replaced everywhere."""


class Disguise:
    """What is hidden (`addresses`, `names`) and the names that are known to be hosts'."""

    def __init__(self, what: Iterable[str], names: Iterable[str] = (), secret: bytes = b"") -> None:
        self.what = frozenset(what)
        self._secret = secret or token_bytes(32)
        self._v4 = lru_cache(maxsize=65536)(self._hidden_v4)
        self._v6 = lru_cache(maxsize=65536)(self._hidden_v6)
        known = {name.lower() for name in names if len(name) >= MIN_NAME} - _LOCAL_NAMES
        ordered = sorted((name for name in known if not name.startswith(_NO_NETWORK)), key=len)
        either = "|".join(re.escape(name) for name in reversed(ordered))
        self._names = (
            re.compile(rf"(?<![\w-])(?:{either})(?![\w-])", re.IGNORECASE) if either else None
        )

    def text(self, text: str) -> str:
        """The text in disguise."""
        if NAMES in self.what:
            text = _URL_HOST.sub(lambda found: self._name(found[1]), text)
            if self._names is not None:
                text = self._names.sub(lambda found: self._name(found[0]), text)
        if ADDRESSES in self.what:
            text = _MAC.sub(lambda found: found[1] + self._tail(found[0], found[2]), text)
            text = _IPV4.sub(lambda found: self._v4(found[0]), text)
            text = _IPV6.sub(lambda found: self._v6(found[0]), text)
        return text

    def _digest(self, kind: str, value: str) -> bytes:
        return hmac.digest(self._secret, f"{kind} {value}".encode(), "sha256")

    def _name(self, name: str) -> str:
        low = name.lower()
        if low in _LOCAL_NAMES or low.startswith("host-"):
            return name
        return f"host-{self._digest('name', low).hex()[:6]}"

    def _tail(self, whole: str, tail: str) -> str:
        if set(whole) <= set("0:-") or whole.lower().replace("-", ":") == "ff:ff:ff:ff:ff:ff":
            return tail
        separator = tail[2]
        digest = self._digest("mac", whole.lower().replace("-", ":"))
        return separator.join(f"{byte:02x}" for byte in digest[:3])

    def _hidden_v4(self, text: str) -> str:
        try:
            address = ipaddress.IPv4Address(text)
        except ValueError:
            return text
        if any(address in net for net in _KEPT_V4):
            return text
        own = next((net.prefixlen for net in _RANGES_V4 if address in net), PUBLIC_BITS)
        return str(ipaddress.IPv4Address(self._flipped(int(address), 32, own)))

    def _hidden_v6(self, text: str) -> str:
        try:
            address = ipaddress.IPv6Address(text)
        except ValueError:
            return text
        if address.is_loopback or address.is_multicast or address.is_unspecified:
            return text
        kept = 64 if address.is_link_local else V6_BITS
        return str(ipaddress.IPv6Address(self._flipped(int(address), 128, kept)))

    def _flipped(self, number: int, bits: int, kept: int) -> int:
        """Each bit beyond the kept ones turned or not, as the secret says for the bits before it.

        A trailing run of zeros of a network's own address stays: 10.1.2.0/24 remains a /24's.
        """
        zeros = (number & -number).bit_length() - 1 if number else bits
        last = bits - zeros if zeros >= 8 else bits
        hidden = number
        for place in range(kept, last):
            before = number >> (bits - place)
            if self._digest(f"v{bits}.{place}", str(before))[0] & 1:
                hidden ^= 1 << (bits - 1 - place)
        return hidden


def names_of_this_host(hostname: str, hosts_file: str) -> set[str]:
    """Its own name, whole and short, and the names of /etc/hosts."""
    names = {hostname, hostname.partition(".")[0]}
    for line in hosts_file.split("\n")[:10_000]:
        words = line.partition("#")[0].split()
        names.update(words[1:])
    return {name for name in names if name}
