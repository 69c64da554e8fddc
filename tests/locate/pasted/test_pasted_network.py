"""The network in pasted text: every trap that a veteran would set, with figures of our own."""

from __future__ import annotations

import pytest

from weaklink.testing.pasted import read_pasted, said


def test_two_defaults_with_different_metrics_are_failover() -> None:
    text = (
        "$ ip route\n"
        "default via 10.20.0.1 dev ens1 proto dhcp metric 100\n"
        "default via 10.30.0.1 dev ens2 proto dhcp metric 200\n"
        "10.20.0.0/24 dev ens1 proto kernel scope link src 10.20.0.9 metric 100\n"
        "10.30.0.0/24 dev ens2 proto kernel scope link src 10.30.0.9 metric 200\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "healthy"
    assert "ens1" in reading.findings[0].text


def test_two_defaults_of_equal_metric_are_said() -> None:
    text = (
        "default via 10.20.0.1 dev ens1\ndefault via 10.30.0.1 dev ens2\n"
        "10.20.0.0/24 dev ens1 proto kernel scope link src 10.20.0.9\n"
        "10.30.0.0/24 dev ens2 proto kernel scope link src 10.30.0.9\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "warn"
    assert "equal metric" in reading.findings[0].text


def test_a_multipath_default_is_meant_to_share() -> None:
    text = (
        "default proto static\n"
        "\tnexthop via 10.20.0.1 dev ens1 weight 1\n\tnexthop via 10.30.0.1 dev ens2 weight 1\n"
        "10.20.0.0/24 dev ens1 proto kernel scope link src 10.20.0.9\n"
    )
    assert read_pasted(text).verdict != "warn"


def test_defaults_in_other_tables_are_policy_and_unreachable_placeholders_no_fault() -> None:
    text = (
        "default via 10.40.0.1 dev bond1 table storage\n"
        "default via 10.20.0.1 dev ens1\n"
        "10.20.0.0/24 dev ens1 proto kernel scope link src 10.20.0.9\n"
        "unreachable default dev lo table unspec proto kernel metric 4294967295 error -101\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "healthy"
    assert "storage" in said(text)


def test_a_tunnel_that_takes_the_default_is_said() -> None:
    text = (
        "default via 10.8.0.1 dev wg0 proto static metric 20\n"
        "default via 192.168.7.1 dev eno3 proto dhcp metric 300\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "warn"
    assert "wg0" in reading.findings[0].text


def test_one_subnet_on_two_cards_may_answer_by_either() -> None:
    text = (
        "Kernel IP routing table\n"
        "Destination     Gateway         Genmask         Flags Metric Ref    Use Iface\n"
        "0.0.0.0         10.9.0.1        0.0.0.0         UG    50     0        0 ens1\n"
        "10.9.0.0        0.0.0.0         255.255.0.0     U     0      0        0 ens1\n"
        "10.9.0.0        0.0.0.0         255.255.0.0     U     0      0        0 ens2\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "warn"
    assert "10.9.0.0" in reading.findings[0].text


def test_stale_and_permanent_neighbours_are_normal_and_silent_ones_are_named() -> None:
    fine = (
        "10.9.0.7 dev ens1 lladdr 02:00:00:00:00:07 STALE\n"
        "10.9.0.8 dev ens1 lladdr 02:00:00:00:00:08 PERMANENT\n"
        "10.9.0.9 dev ens1 lladdr 02:00:00:00:00:09 DELAY\n"
    )
    assert read_pasted(fine).verdict == "healthy"
    reading = read_pasted(fine + "10.9.0.33 dev ens1  FAILED\n")
    assert reading.verdict == "warn"
    assert "10.9.0.33" in reading.findings[0].text


def test_a_gateway_that_does_not_answer_is_critical() -> None:
    text = (
        "$ ip route\ndefault via 10.9.0.1 dev ens1\n"
        "10.9.0.0/16 dev ens1 proto kernel scope link src 10.9.0.2\n"
        "$ ip neigh\n10.9.0.1 dev ens1  INCOMPLETE\n"
    )
    assert read_pasted(text).verdict == "critical"


def statistics(**counters: int) -> str:
    return "NIC statistics:\n" + "".join(
        f"     {name}: {value}\n" for name, value in counters.items()
    )


def test_thousands_of_missed_packets_of_billions_are_nothing() -> None:
    text = statistics(rx_packets=4_000_000_000, rx_missed_errors=5000, rx_crc_errors=0)
    reading = read_pasted(text)
    assert reading.verdict == "healthy"
    assert "5000" in reading.findings[0].text


def test_broken_frames_are_the_wire_and_dropped_ones_the_buffers() -> None:
    broken = said(statistics(rx_packets=1_000_000, rx_errors=7000, rx_crc_errors=7000))
    assert "critical" in broken
    assert "crc 7000" in broken
    dropped = said(statistics(rx_packets=1_000_000, rx_missed_errors=2000))
    assert "warn" in dropped
    assert "receive buffers" in dropped


def test_errors_without_a_number_of_packets_are_unknown() -> None:
    assert read_pasted(statistics(rx_crc_errors=900)).verdict == "unknown"


def test_a_card_that_fell_back_to_a_hundredth_of_its_speed() -> None:
    text = (
        "Settings for ens1:\n\tSupported link modes:   1000baseT/Full\n"
        "\t                        10000baseT/Full\n\tSpeed: 100Mb/s\n\tDuplex: Full\n"
        "\tLink detected: yes\n"
    )
    assert read_pasted(text).verdict == "warn"
    assert read_pasted(text.replace("100Mb/s", "10000Mb/s")).verdict == "healthy"
    assert read_pasted(text.replace("detected: yes", "detected: no")).verdict == "critical"


def test_overflows_since_boot_are_a_warning_that_wants_a_second_look() -> None:
    text = (
        "TcpExt:\n    512 times the listen queue of a socket overflowed\n"
        "    512 SYNs to LISTEN sockets dropped\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "warn"
    assert "accept" in reading.findings[0].text
    assert "look twice" in reading.findings[0].text


@pytest.mark.parametrize(
    ("again", "probes", "verdict"),
    [(40, 0, "healthy"), (2600, 0, "critical"), (2600, 2590, "healthy")],
)
def test_retransmissions_count_by_their_share_and_probes_do_not(
    again: int, probes: int, verdict: str
) -> None:
    text = (
        f"Tcp:\n    90000 segments sent out\n    {again} segments retransmitted\n"
        f"TcpExt:\n    TCPLossProbes: {probes}\n"
    )
    assert read_pasted(text).verdict == verdict


def test_ports_used_up_by_closed_connections_are_the_clients_doing() -> None:
    text = (
        "dial tcp 10.9.0.50:6379: connect: cannot assign requested address\n"
        "$ ss -tan state time-wait dst 10.9.0.50:6379 | wc -l\n28110\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert reading.findings[0].cause == "port-exhaustion"
    assert "28110" in reading.findings[0].text


def test_a_listener_that_does_not_accept_shows_it_in_its_queue() -> None:
    text = (
        "State  Recv-Q Send-Q Local Address:Port Peer Address:Port\n"
        "LISTEN 129    128          0.0.0.0:8000      0.0.0.0:*\n"
        "LISTEN 0      511          0.0.0.0:80        0.0.0.0:*\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "8000" in reading.findings[0].text


@pytest.mark.parametrize(
    ("text", "verdict", "word"),
    [
        ("ping: connect: Network is unreachable\n", "critical", "route"),
        (
            "Pinging 10.1.1.1 with 32 bytes of data:\nGeneral failure.\nGeneral failure.\n",
            "critical",
            "left",
        ),
        ("正在 Ping 10.1.1.1 具有 32 字节的数据:\n一般故障。\n一般故障。\n", "critical", "left"),
        (
            "PING 10.1.1.1 (10.1.1.1) 56(84) bytes of data.\n\n--- 10.1.1.1 ping statistics ---\n"
            "20 packets transmitted, 20 received, 0% packet loss, time 19028ms\n",
            "healthy",
            "20 of 20",
        ),
        (
            "PING 10.1.1.1 (10.1.1.1) 56(84) bytes of data.\n\n--- 10.1.1.1 ping statistics ---\n"
            "20 packets transmitted, 14 received, 30% packet loss, time 19028ms\n",
            "critical",
            "30.0 %",
        ),
    ],
)
def test_ping_says_where_it_failed(text: str, verdict: str, word: str) -> None:
    reading = read_pasted(f"$ ping 10.1.1.1\n{text}")
    assert reading.verdict == verdict
    assert word in reading.findings[0].text


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("mlx5_core 0000:c1:00.0 eth2: TX timeout on queue: 5, SQ: 0x1b2, CQ: 0x8f", "eth2"),
        ("bnxt_en 0000:5e:00.0 ens3f0np0: TX timeout detected, starting reset task!", "ens3f0np0"),
        ("ixgbe 0000:01:00.0 eth0: initiating reset due to tx timeout", "eth0"),
        ("mlx5_core 0000:c1:00.0: poll_health:995:(pid 0): Fatal error 3 detected", "0000:c1:00.0"),
        (
            "mlx5_core 0000:c1:00.0: poll_health:995:(pid 0): device's health compromised - "
            "reached miss count",
            "0000:c1:00.0",
        ),
        ("igb 0000:02:00.0 eno1: PCIe link lost, device now detached", "0000:02:00.0"),
    ],
)
def test_a_card_that_hangs_is_never_a_healthy_log(line: str, where: str) -> None:
    reading = read_pasted(f"[  312.441021] {line}\n")
    assert (reading.verdict, reading.findings[0].cause) == ("critical", "nic-errors")
    assert where in reading.findings[0].text


def test_a_card_that_starts_is_not_broken() -> None:
    text = "[    3.412345] mlx5_core 0000:c1:00.0: firmware version: 28.39.1002\n"
    assert read_pasted(text).verdict != "critical"
