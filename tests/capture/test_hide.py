"""Disguised addresses keep their relations; nothing of the real ones is left."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.capture.hide import ADDRESSES, NAMES, Disguise, names_of_this_host

SECRET = b"a secret of this test"
ROUTES = """default via 192.168.7.1 dev eth0 proto dhcp src 192.168.7.23 metric 100
10.20.0.0/16 via 192.168.7.254 dev eth1
192.168.7.0/24 dev eth0 proto kernel scope link src 192.168.7.23
"""


def hide(text: str, *names: str, what: tuple[str, ...] = (ADDRESSES, NAMES)) -> str:
    return Disguise(what, names, SECRET).text(text)


def test_a_next_hop_still_lies_in_its_network() -> None:
    told = hide(ROUTES)
    assert "192.168.7." not in told
    words = told.split()
    network = ipaddress.IPv4Network(words[words.index("link") - 6])
    hop, own = ipaddress.IPv4Address(words[2]), ipaddress.IPv4Address(words[words.index("src") + 1])
    assert hop in network
    assert own in network
    assert network.prefixlen == 24
    assert network.subnet_of(ipaddress.IPv4Network("192.168.0.0/16"))


@pytest.mark.parametrize(
    "text",
    [
        "inet 127.0.0.1/8 scope host lo",
        "0.0.0.0:* [::]:* ::1",
        "netmask 255.255.255.0",
        "169.254.169.254",
        "224.0.0.18 (VRRP)",
        "link/loopback 00:00:00:00:00:00 brd ff:ff:ff:ff:ff:ff",
        "torch 2.1.0.post1, driver 535.104.05, libc.so.6, 1.2.3.4.5",
        "12:04:59 up 3 days, 2001 processes",
        "at 15:30:01.123 std::vector<int>::push_back",
        "300.1.2.3",
    ],
)
def test_what_is_no_address_of_theirs_stays(text: str) -> None:
    assert hide(text) == text


def test_the_maker_of_a_card_stays_and_its_number_goes() -> None:
    told = hide("link/ether 3c:ec:ef:12:34:56 brd ff:ff:ff:ff:ff:ff; HWaddr 3C-EC-EF-12-34-56")
    assert "12:34:56" not in told
    assert told.count("3c:ec:ef") == 1
    assert "3C-EC-EF" in told
    first, second = told.split()[1], told.split()[-1]
    assert first.lower()[9:].replace(":", "-") == second.lower()[9:]


def test_ipv6_keeps_its_network() -> None:
    told = hide("inet6 2001:db8:1:2::10/64 and 2001:db8:1:2::11 but fe80::1%eth0").split()
    first = ipaddress.IPv6Network(told[1], strict=False)
    assert ipaddress.IPv6Address(told[3]) in first
    assert told[1] != "2001:db8:1:2::10/64"
    assert told[-1].startswith("fe80::")


@given(st.lists(st.ip_addresses(v=4), min_size=2, max_size=6, unique=True))
def test_two_addresses_share_as_many_leading_bits_as_before(
    addresses: list[ipaddress.IPv4Address],
) -> None:
    disguise = Disguise((ADDRESSES,), (), SECRET)
    told = [ipaddress.IPv4Address(disguise.text(str(one))) for one in addresses]
    for one, other, new_one, new_other in zip(
        addresses, addresses[1:], told, told[1:], strict=False
    ):
        shared = 32 - (int(one) ^ int(other)).bit_length()
        # Networks' own addresses keep their zeros; only the bits before them are compared.
        if int(one) & 0xFF and int(other) & 0xFF:
            assert 32 - (int(new_one) ^ int(new_other)).bit_length() == shared


@given(st.text(max_size=300))
def test_any_text_comes_through(text: str) -> None:
    hide(text, "box17")


def test_names_of_the_host_and_of_urls_go_everywhere() -> None:
    names = names_of_this_host(
        "gpu7.prod.corp.example", "10.0.0.4 store-a store-a.corp.example # x\n"
    )
    text = (
        "Linux gpu7 6.1; GPU7.prod.corp.example GET http://store-a:9000/x https://api.corp.example/v1"
        " http://localhost:80/ store-ab"
    )
    told = hide(text, *names, what=(NAMES,))
    assert "gpu7" not in told.lower()
    assert "api.corp" not in told
    assert "store-a:" not in told
    assert "store-ab" in told
    assert "http://localhost:80/" in told


def test_the_same_run_says_the_same_and_another_run_does_not() -> None:
    text = "10.1.2.3 and 10.1.2.3"
    told = hide(text).split()
    assert told[0] == told[2]
    assert Disguise((ADDRESSES,), (), b"another secret").text(text) != hide(text)


def test_addresses_and_names_are_asked_for_apart() -> None:
    text = "10.1.2.3 box17"
    assert hide(text, "box17", what=(NAMES,)).startswith("10.1.2.3 host-")
    assert hide(text, "box17", what=(ADDRESSES,)).endswith(" box17")
    assert hide(text, "box17", what=()) == text
