"""GPUs in pasted text: every trap that a veteran would set, with figures of our own."""

from __future__ import annotations

import pytest

from weaklink.testing.pasted import read_pasted, said


def card(
    busy: str = "0%",
    watts: int = 60,
    used: int = 400,
    ecc: str = "0",
    mig: str = "Disabled",
    processes: str = "",
) -> str:
    rule = f"+{'-' * 41}+{'-' * 24}+{'-' * 22}+\n"
    text = (
        f"{rule}"
        "| NVIDIA-SMI 555.42.06     Driver Version: 555.42.06      CUDA Version: 12.5     |\n"
        f"{rule}"
        f"| GPU  Name {' ' * 15} Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
        f"|{'=' * 41}+{'=' * 24}+{'=' * 22}|\n"
        f"|   0  NVIDIA WEAK 80GB               On  |   00000000:3B:00.0 Off | {ecc:>20} |\n"
        f"| N/A   44C    P0            {watts:>4}W /  400W | {used:>8}MiB /  81920MiB |"
        f" {busy:>8}      Default |\n"
        f"|{' ' * 41}|{' ' * 24}| {mig:>20} |\n"
        f"{rule}"
    )
    if processes:
        text += f"| Processes: {' ' * 77}|\n|{'=' * 89}|\n{processes}+{'-' * 89}+\n"
    return text


def process(pid: int, name: str, memory: int) -> str:
    return f"|    0   N/A  N/A    {pid:>10}      C   {name:<44}{memory:>8}MiB |\n"


def test_use_that_is_not_said_under_mig_is_not_zero() -> None:
    reading = read_pasted(card(busy="N/A", ecc="On", mig="Enabled"))
    assert reading.verdict == "healthy"
    assert "MIG" in reading.findings[0].text
    assert "0 %" not in reading.findings[0].text


def test_a_full_use_at_a_fifth_of_the_power_is_a_hung_collective() -> None:
    reading = read_pasted(card(busy="100%", watts=84, used=78000))
    assert reading.verdict == "critical"
    assert reading.findings[0].cause == "collective-hang"
    assert read_pasted(card(busy="100%", watts=330, used=78000)).verdict == "healthy"


def test_memory_that_is_nearly_full_alone_is_preallocation() -> None:
    assert read_pasted(card(busy="41%", watts=210, used=79500)).verdict == "healthy"


def test_two_programs_on_a_full_card_are_named() -> None:
    rows = process(4001, "/opt/engine", 40000) + process(4002, "/opt/batch", 9000)
    text = card(busy="99%", watts=360, used=49100, processes=rows)
    reading = read_pasted(text)
    assert reading.verdict == "warn"
    assert "engine" in reading.findings[0].text
    assert "batch" in reading.findings[0].text


def test_memory_without_an_owner_is_hidden_not_free() -> None:
    text = card(busy="12%", watts=90, used=30000, processes="|  No running processes found |\n")
    reading = read_pasted(text)
    assert reading.verdict == "warn"
    assert "30000 of 81920" in reading.findings[0].text


def test_a_table_of_processes_that_is_cut_off_hides_nothing() -> None:
    rows = process(4001, "/opt/engine", 40000)
    whole = card(busy="12%", watts=90, used=40000, processes=rows)
    cut = whole[: whole.index("| Processes:") + 200]
    assert read_pasted(cut).verdict == "healthy"


def test_memory_held_by_a_pid_that_is_gone() -> None:
    text = (
        "$ nvidia-smi --query-compute-apps=pid,used_memory --format=csv\n"
        "pid, used_gpu_memory [MiB]\n733001, 22800 MiB\n"
        "$ kill -9 733001\nbash: kill: (733001) - No such process\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "733001" in reading.findings[0].text


def test_a_busy_encoder_is_not_an_idle_card() -> None:
    text = (
        "# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk\n"
        "# Idx      W      C      C      %      %      %      %    MHz    MHz\n"
        "    1     70     50      -      6      3     71      0   9001   2400\n"
        "    1     71     50      -      7      3     74      0   9001   2400\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "healthy"
    assert "enc 71-74 %" in reading.findings[0].text


def test_a_row_that_waits_for_a_reset_is_no_new_card() -> None:
    text = (
        "GPU 00000000:4E:00.0\n"
        "    Product Name                          : NVIDIA WEAK\n"
        "    Remapped Rows\n"
        "        Correctable Error                 : 2\n"
        "        Uncorrectable Error               : 0\n"
        "        Pending                           : {pending}\n"
        "        Remapping Failure Occurred        : {failed}\n"
    )
    waiting = read_pasted(text.format(pending="Yes", failed="No"))
    assert waiting.verdict == "warn"
    assert "reset" in waiting.findings[0].text
    assert read_pasted(text.format(pending="No", failed="Yes")).verdict == "critical"
    assert read_pasted(text.format(pending="No", failed="No")).verdict == "healthy"


def test_missing_fields_are_unknown() -> None:
    text = (
        '<?xml version="1.0" ?>\n<nvidia_smi_log>\n\t<gpu id="00000000:81:00.0">\n'
        "\t\t<product_name>NVIDIA WEAK</product_name>\n"
        "\t\t<performance_state>P8</performance_state>\n"
        "\t</gpu>\n</nvidia_smi_log>\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "unknown"
    assert "0 MiB" not in said(text)


def test_a_slowdown_by_the_hardware_is_critical_and_by_the_power_cap_normal() -> None:
    text = (
        "GPU 00000000:4E:00.0\n    Clocks Event Reasons\n"
        "        SW Power Cap                      : {cap}\n"
        "        HW Slowdown                       : {hardware}\n"
        "            HW Thermal Slowdown           : {hardware}\n"
    )
    assert read_pasted(text.format(cap="Active", hardware="Not Active")).verdict == "healthy"
    assert read_pasted(text.format(cap="Not Active", hardware="Active")).verdict == "critical"


def xid(bus: str, number: int, rest: str = "pid='<unknown>', name=<unknown>, Ch 00000010") -> str:
    return f"[ 4410.{number:06d}] NVRM: Xid (PCI:0000:{bus}:00): {number}, {rest}\n"


def test_channels_torn_down_are_not_the_cause() -> None:
    text = xid("1a", 31, "pid=9001, name=engine, MMU Fault") + xid("1a", 45) + xid("1a", 45)
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "Xid 31" in reading.findings[0].text
    assert "9001" in reading.findings[0].text


def test_marking_a_row_is_not_failing_to_remap_it() -> None:
    assert (
        read_pasted(xid("1a", 63, "pid=1, name=x, Row Remapper: New row marked")).verdict == "warn"
    )
    assert read_pasted(xid("1a", 64, "pid=1, name=x, Row remapper: Error")).verdict == "critical"


def test_falling_off_the_bus_needs_no_xid_line() -> None:
    text = (
        "Mar  2 01:01:01 n1 kernel: NVRM: The NVIDIA GPU 0000:ca:00.0\n"
        "Mar  2 01:01:01 n1 kernel: NVRM: (PCI ID: 10de:2330) installed in this system has\n"
        "Mar  2 01:01:01 n1 kernel: NVRM: fallen off the bus and is not responding to commands.\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "ca:00.0" in reading.findings[0].text


def test_the_same_exception_on_every_multiprocessor_is_the_program() -> None:
    text = "".join(
        xid(
            "1a",
            13,
            f"pid=77, name=engine, Graphics SM Warp Exception on (GPC {gpc}, TPC {tpc}, SM 0)",
        )
        for gpc in range(3)
        for tpc in range(3)
    )
    reading = read_pasted(text)
    assert "not the card" in reading.findings[0].text
    assert reading.findings[0].cause != "gpu-fault"


def test_a_double_bit_error_on_one_card_is_the_card() -> None:
    text = (
        xid("1a", 48, "pid=77, name=engine, DBE")
        + xid("1a", 63, "pid=77, name=engine")
        + xid("1a", 94, "pid=77, name=engine, Contained")
    )
    reading = read_pasted(text)
    assert reading.findings[0].cause == "gpu-fault"
    assert "Xid 48" in reading.findings[0].text
    assert len(reading.findings) == 1


def test_the_links_own_error_is_the_place_to_start_not_its_peers() -> None:
    text = xid("3b", 45, "pid=1, name=python3, Ch 00000001 caused by previous Xid 145") + xid(
        "5e", 45, "pid=2, name=python3, Ch 00000002 caused by previous Xid 149"
    )
    texts = [one.text for one in read_pasted(text).findings]
    assert any("GPU 0000:5e:00: Xid 149" in one for one in texts)
    assert any("3b:00" in one and "start at GPU 0000:5e:00" in one for one in texts)


def test_no_recovery_needed_is_no_event() -> None:
    text = xid("1a", 154, "GPU recovery action changed from 0x1 (Reset) to 0x0 (None)")
    assert read_pasted(text).verdict == "healthy"


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("Failed to initialize NVML: Unknown Error", "gpu-lost-to-container"),
        ("Failed to initialize NVML: Driver/library version mismatch", "gpu-fault"),
        ("Unable to determine the device handle for GPU0000:41:00.0: Unknown Error", "gpu-fault"),
    ],
)
def test_what_the_driver_says_instead_of_an_answer(line: str, cause: str) -> None:
    reading = read_pasted(f"$ nvidia-smi\n{line}\n")
    assert reading.verdict == "critical"
    assert reading.findings[0].cause == cause


def test_dcgm_metrics_say_what_a_card_waits_for() -> None:
    text = (
        "# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n"
        'DCGM_FI_DEV_GPU_UTIL{gpu="3",UUID="GPU-77",modelName="NVIDIA WEAK"} 88\n'
        'DCGM_FI_DEV_FB_USED{gpu="3",UUID="GPU-77"} 70000\n'
        'DCGM_FI_DEV_ROW_REMAP_PENDING{gpu="3",UUID="GPU-77"} 1\n'
    )
    reading = read_pasted(text)
    assert reading.verdict == "warn"
    assert "Pending" in reading.findings[0].text
