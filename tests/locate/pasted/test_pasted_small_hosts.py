"""What small containers and plain tools print: BusyBox's top, nvme-cli, single columns of GPUs."""

from __future__ import annotations

import json

from weaklink.testing.pasted import read_pasted

BUSYBOX = """Mem: 3931388K used, 61440K free, 1024K shrd, 2048K buff, 40960K cached
CPU:  93% usr   5% sys   0% nic   1% idle   0% io   0% irq   1% sirq
Load average: 8.41 7.90 6.02 9/412 3391
  PID  PPID USER     STAT   VSZ %VSZ CPU %CPU COMMAND
   17     1 app      R    2212m  55%   1  47% python3 serve.py
"""
NVME = """Smart Log for NVME device:nvme0n1 namespace-id:ffffffff
critical_warning                    : 0x4
temperature                         : 41 C
available_spare                     : 100%
available_spare_threshold           : 10%
percentage_used                     : 3%
media_errors                        : 118
"""


def test_busyboxs_top_is_recognised() -> None:
    got = read_pasted(BUSYBOX)
    assert [row.tool for row in got.recognised] == ["top-busybox"]


def test_an_nvme_drive_with_a_warning_is_critical_in_text_and_in_json() -> None:
    assert read_pasted(NVME).verdict == "critical"
    values = {"critical_warning": 4, "media_errors": 118, "avail_spare": 100, "temperature": 314}
    assert read_pasted(json.dumps(values)).verdict == "critical"


def test_a_healthy_nvme_drive_is_healthy() -> None:
    calm = NVME.replace("0x4", "0").replace(": 118", ": 0")
    assert read_pasted(calm).verdict == "healthy"


def test_the_last_xid_of_an_exporter_is_told_without_a_moment() -> None:
    metric = 'DCGM_FI_DEV_XID_ERRORS{gpu="3",modelName="NVIDIA H100"} '
    base = 'DCGM_FI_DEV_GPU_TEMP{gpu="3",modelName="NVIDIA H100"} 44\n'
    bad = read_pasted(base + metric + "79\n")
    assert bad.verdict == "critical"
    assert "Xid 79" in bad.findings[0].text
    assert read_pasted(base + metric + "0\n").verdict != "critical"


def test_reasons_to_slow_down_are_read_from_a_query() -> None:
    text = (
        "index, name, clocks_throttle_reasons.hw_thermal_slowdown, temperature.gpu\n"
        "0, NVIDIA A100-SXM4-80GB, Active, 91\n"
    )
    got = read_pasted(text)
    assert got.verdict in ("warn", "critical")
