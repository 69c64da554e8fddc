"""Disks in pasted text: every trap that a veteran would set, with figures of our own."""

from __future__ import annotations

import json

import pytest

from weaklink.testing.pasted import read_pasted, said

ATTRIBUTES = """\
smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)
=== START OF INFORMATION SECTION ===
Device Model:     WEAK DISK 4000
SMART support is: Available - device has SMART capability.
SMART support is: Enabled

=== START OF READ SMART DATA SECTION ===
SMART overall-health self-assessment test result: {health}

ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -       {five}
  9 Power_On_Hours          0x0032   074   074   000    Old_age   Always       -       22912
194 Temperature_Celsius     0x0022   064   049   000    Old_age   Always       -       36 (0 11 0)
196 Reallocated_Event_Count 0x0032   100   100   000    Old_age   Always       -       {events}
197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       -       {pending}
198 Offline_Uncorrectable   0x0010   100   100   000    Old_age   Offline      -       0
199 UDMA_CRC_Error_Count    0x003e   200   200   000    Old_age   Always       -       {crc}
"""


def ata(
    health: str = "PASSED", five: int = 0, events: int = 0, pending: int = 0, crc: int = 0
) -> str:
    return ATTRIBUTES.format(health=health, five=five, events=events, pending=pending, crc=crc)


def test_passed_with_hundreds_of_reallocated_sectors_is_a_warning() -> None:
    reading = read_pasted(f"$ smartctl -a /dev/sdc\n{ata(five=612)}")
    assert reading.verdict == "warn"
    assert reading.findings[0].target.endswith("/dev/sdc")
    assert "612" in reading.findings[0].text
    assert reading.findings[0].line.startswith("5 Reallocated_Sector_Ct")


def test_reallocation_events_alone_are_no_alarm() -> None:
    assert read_pasted(ata(events=4100)).verdict == "healthy"


def test_a_few_damaged_transfers_long_ago_are_no_alarm_but_many_are_the_wire() -> None:
    assert read_pasted(ata(crc=3)).verdict == "healthy"
    assert "cable" in said(ata(crc=9000))


@pytest.mark.parametrize(("pending", "verdict"), [(1, "warn"), (64, "critical")])
def test_sectors_that_cannot_be_read_are_worse_the_more_there_are(
    pending: int, verdict: str
) -> None:
    assert read_pasted(ata(pending=pending)).verdict == verdict


def test_a_drive_that_fails_its_own_test_is_replaced() -> None:
    reading = read_pasted(ata(health="FAILED!", five=1880, pending=16))
    assert reading.verdict == "critical"
    assert "1880" in reading.findings[0].text
    assert "16" in reading.findings[0].text


def test_passed_alone_says_too_little() -> None:
    text = "SMART overall-health self-assessment test result: PASSED\n"
    assert read_pasted(text).verdict == "unknown"


def test_a_controllers_virtual_disk_is_unknown_and_names_the_way_to_the_drives() -> None:
    text = (
        "# smartctl -i /dev/sdb\n"
        "smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.10.0] (local build)\n"
        "=== START OF INFORMATION SECTION ===\n"
        "Vendor:               DELL\n"
        "Product:              PERC H755 Front\n"
        "SMART support is:     Unavailable - device lacks SMART capability.\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "unknown"
    assert "megaraid,N" in reading.findings[0].next


def test_a_sas_drive_has_no_attribute_table_but_grown_defects() -> None:
    text = (
        "smartctl 7.1 2019-12-30 r5022 [x86_64-linux-5.4] (local build)\n"
        "Vendor:               SEAGATE\n"
        "Product:              ST8000\n"
        "SMART Health Status: OK\n"
        "Elements in grown defect list: {grown}\n"
        "read:   1200        4         0      1204       3000       9000.100           0\n"
        "write:     0        2         0         2        300       4000.200           0\n"
    )
    assert read_pasted(text.format(grown=0)).verdict == "healthy"
    assert "31 grown defects" in said(text.format(grown=31))
    assert read_pasted(text.format(grown=31)).verdict == "warn"


def nvme(**changed: int) -> str:
    log = {
        "critical_warning": 0,
        "temperature": 41,
        "available_spare": 100,
        "available_spare_threshold": 10,
        "percentage_used": 0,
        "media_errors": 0,
    }
    log.update(changed)
    report = {
        "smartctl": {"exit_status": 0},
        "device": {"name": "/dev/nvme3", "type": "nvme", "protocol": "NVMe"},
        "model_name": "WEAK NVME",
        "smart_status": {"passed": log["critical_warning"] == 0},
        "nvme_smart_health_information_log": log,
    }
    return json.dumps(report, indent=2) + "\n"


def test_an_nvme_warning_bit_counts_although_nothing_is_worn() -> None:
    reading = read_pasted(nvme(critical_warning=16))
    assert reading.verdict == "critical"
    assert "0x10" in reading.findings[0].text
    assert read_pasted(nvme()).verdict == "healthy"
    assert read_pasted(nvme(media_errors=5)).verdict == "warn"


def test_a_drive_behind_a_controller_is_named_by_the_way_to_it() -> None:
    report = {
        "smartctl": {"exit_status": 0},
        "device": {"name": "/dev/bus/0", "type": "sat+megaraid,7", "protocol": "ATA"},
        "smart_status": {"passed": True},
        "ata_smart_attributes": {
            "table": [
                {"id": 5, "name": "Reallocated_Sector_Ct", "raw": {"value": 44, "string": "44"}}
            ]
        },
    }
    reading = read_pasted(json.dumps(report, indent=1) + "\n")
    assert "megaraid,7" in reading.findings[0].text
    assert "-d sat+megaraid,7" in reading.findings[0].next


def test_smartd_in_the_system_log_is_evidence() -> None:
    text = (
        "Mar  3 04:05:06 db1 smartd[811]: Device: /dev/bus/0 [megaraid_disk_11] [SAT], "
        "24 Currently unreadable (pending) sectors\n"
        "Mar  3 04:05:06 db1 smartd[811]: Device: /dev/sda [SAT], SMART Usage Attribute: "
        "194 Temperature_Celsius changed from 117 to 116\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "24" in reading.findings[0].text
    assert "megaraid,11" in reading.findings[0].next


IOSTAT_HEAD = (
    "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s"
    "  %wrqm w_await wareq-sz  aqu-sz  %util\n"
)


def iostat_row(name: str, reads: float, wait: float, queue: float, busy: float) -> str:
    return (
        f"{name:12}{reads:10.2f}{reads * 64:10.2f}     0.00   0.00{wait:8.2f}    64.00    0.00"
        f"      0.00     0.00   0.00    0.00     0.00{queue:8.2f}{busy:7.2f}\n"
    )


def run_of(*rows: str) -> str:
    cpu = (
        "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
        "           5.00    0.00    1.00    9.00    0.00   85.00\n"
    )
    return "Linux 6.1.0 (h1) \t03/02/2026 \t_x86_64_\t(8 CPU)\n\n" + "".join(
        f"{cpu}\n{IOSTAT_HEAD}{row}\n" for row in rows
    )


def test_the_first_report_of_iostat_is_since_boot_and_does_not_count() -> None:
    slow, fine = iostat_row("sda", 90, 480, 40, 100), iostat_row("sda", 20, 3, 0.1, 5)
    assert read_pasted(run_of(slow, fine)).verdict == "healthy"
    assert read_pasted(run_of(fine, slow)).verdict == "critical"
    alone = read_pasted(run_of(slow))
    assert alone.verdict == "critical"
    assert "since boot" in alone.findings[0].text


def test_a_flash_disk_that_is_always_busy_and_answers_at_once_is_fine() -> None:
    text = IOSTAT_HEAD + iostat_row("nvme0n1", 14_000, 0.12, 1.7, 100)
    assert read_pasted(text).verdict == "healthy"
    assert (
        read_pasted(IOSTAT_HEAD + iostat_row("nvme0n1", 900, 140, 126, 100)).verdict == "critical"
    )


def test_a_spinning_disk_needs_use_and_latency_and_queue() -> None:
    busy_alone = IOSTAT_HEAD + iostat_row("sdb", 110, 9, 0.9, 99)
    all_three = IOSTAT_HEAD + iostat_row("sdb", 120, 260, 31, 100)
    assert read_pasted(busy_alone).verdict == "healthy"
    assert read_pasted(all_three).verdict == "critical"


def test_iostat_with_decimal_commas_reads_the_same() -> None:
    text = IOSTAT_HEAD + iostat_row("sdb", 120, 260, 31, 100)
    assert (
        read_pasted(text.replace(".", ",")).findings == read_pasted(text.replace(".", ",")).findings
    )
    assert read_pasted(text.replace(".", ",")).verdict == "critical"


def mdstat(body: str) -> str:
    return f"Personalities : [raid1] [raid6] [raid5]\n{body}\nunused devices: <none>\n"


def test_the_map_of_members_counts_more_than_the_numbers_beside_it() -> None:
    text = mdstat("md2 : active raid1 sdf2[1] sde2[0]\n      976 blocks super 1.2 [2/2] [_U]\n")
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "md2" in reading.findings[0].text


def test_read_only_arrays_checks_and_firmware_containers_are_no_faults() -> None:
    text = mdstat(
        "md1 : active (auto-read-only) raid1 sda1[0] sdb1[1]\n      976 blocks [2/2] [UU]\n"
        "        resync=PENDING\n\n"
        "md3 : active raid6 sda3[0] sdb3[1] sdc3[2] sdd3[3]\n"
        "      9760 blocks level 6, 64k chunk, algorithm 2 [4/4] [UUUU]\n"
        "      [==>..................]  check = 11.3% (110/976) finish=2.1min speed=9000K/sec\n\n"
        "md127 : inactive sdy[1](S) sdx[0](S)\n      5288 blocks super external:imsm\n"
    )
    assert read_pasted(text).verdict == "healthy"


def test_a_rebuild_that_hardly_moves_is_said_to_be_stuck() -> None:
    text = mdstat(
        "md0 : active raid5 sdd1[4] sdc1[2] sdb1[0]\n"
        "      7813 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [U_U]\n"
        "      [>....................]  recovery =  0.4% (31/7813) finish=9000.0min speed=40K/sec\n"
    )
    assert "40 KB/s (stuck" in said(text)
    assert read_pasted(text).verdict == "critical"


def megacli(slot: int, media: int, predictive: int, state: str) -> str:
    return (
        f"Enclosure Device ID: 32\nSlot Number: {slot}\nDevice Id: {slot + 40}\n"
        f"Media Error Count: {media}\nOther Error Count: 2\n"
        f"Predictive Failure Count: {predictive}\n"
        f"PD Type: SAS\nFirmware state: {state}\nInquiry Data: WEAK DISK\n\n"
    )


def test_online_with_predictive_failures_is_a_drive_about_to_fail() -> None:
    text = (
        "Adapter #0\n\n"
        + megacli(0, 0, 0, "Online, Spun Up")
        + megacli(1, 12, 300, "Online, Spun Up")
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "slot 1" in reading.findings[0].text
    assert "300" in reading.findings[0].text
    assert "[32:1]" in reading.findings[0].next


def test_a_broken_drive_that_belongs_to_no_array_has_all_counters_zero() -> None:
    text = (
        "Adapter #0\n\n"
        + megacli(4, 0, 0, "Online, Spun Up")
        + megacli(6, 0, 0, "Unconfigured(bad)")
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "slot 6" in reading.findings[0].text


STORCLI_HEAD = "EID:Slt DID State DG     Size Intf Med SED PI SeSz Model            Sp\n"


def test_an_empty_enclosure_unconfigured_good_and_jbod_are_drives_that_work() -> None:
    rows = (
        " :2       2 UGood -  3.638 TB SATA HDD -   N  512B WEAKDISK4T         -\n"
        " :3       3 JBOD  -  7.276 TB SATA HDD -   -  512B WEAKDISK8T         -\n"
    )
    assert read_pasted(STORCLI_HEAD + rows).verdict == "healthy"


def test_raid0_behind_a_lost_drive_has_no_redundancy_and_says_so() -> None:
    text = (
        "DG/VD TYPE  State Access Consist Cache Cac sCC     Size Name\n"
        "0/1   RAID0 OfLn  RW     Yes     RWBD  -   ON  7.276 TB weights\n\n"
        + STORCLI_HEAD
        + "8:5      21 Offln  0 7.276 TB SATA SSD N   N  512B WEAKSSD8T          U\n"
    )
    reading = read_pasted(text)
    drive = next(one for one in reading.findings if "slot 5" in one.text)
    assert "no redundancy" in drive.text
    assert "RAID10" in drive.text
    assert "start locate" in drive.next


def test_a_failed_array_counts_although_its_logical_drive_prints_ok() -> None:
    text = (
        "Smart Array P420i in Slot 0 (Embedded)\n\n   array A\n\n"
        "      logicaldrive 1 (279.4 GB, RAID 1, OK)\n\n   array C (Failed)\n\n"
        "      logicaldrive 2 (1.1 TB, RAID 5, OK)\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "array C" in reading.findings[0].text


def test_unreadable_sectors_in_the_kernels_log_name_the_port_not_the_wire() -> None:
    text = (
        "[  812.101010] ata5.00: exception Emask 0x0 SAct 0x8 SErr 0x0 action 0x0\n"
        "[  812.101020] ata5.00: failed command: READ FPDMA QUEUED\n"
        "[  812.101030] ata5.00: error: { UNC }\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "ata5" in reading.findings[0].text
    assert "connection" not in reading.findings[0].text


def test_an_empty_optical_drive_is_no_failing_disk() -> None:
    text = "[    9.100000] I/O error, dev sr0, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1\n"
    assert read_pasted(text).verdict == "healthy"


def test_a_task_that_hangs_waits_for_storage() -> None:
    text = "Apr  1 09:09:09 n1 kernel: INFO: task loader:4242 blocked for more than 241 seconds.\n"
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "4242" in reading.findings[0].text
    assert "D state" in reading.findings[0].text


def test_from_a_device_to_the_slots_behind_it_and_the_files_on_it() -> None:
    text = (
        "$ lsblk -o NAME,HCTL,SIZE,TYPE,MOUNTPOINT\n"
        "NAME   HCTL       SIZE TYPE MOUNTPOINT\n"
        "sdd    4:2:3:0    7.3T disk\n"
        "└─sdd1            7.3T part /srv/models\n"
        "$ dmesg | tail -1\n"
        "[   99.000002] blk_update_request: critical medium error, dev sdd, sector 48839\n"
        "$ storcli64 /c0 show\n"
        "DG/VD TYPE  State Access Consist Cache Cac sCC     Size Name\n"
        "2/3   RAID0 Optl  RW     Yes     RWBD  -   ON  7.276 TB weights\n\n"
        f"{STORCLI_HEAD}"
        "62:9     17 Onln   2  7.276 TB SATA HDD N   N  512B WEAKDISK8T       U\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    for word in ("VD 3", "RAID0", "62:9", "/srv/models", "back up now"):
        assert word in reading.findings[0].text


def test_a_full_file_system_and_one_without_inodes() -> None:
    text = (
        "Filesystem      1K-blocks      Used Available Use% Mounted on\n"
        "/dev/vda1        20511312  20494928         0 100% /\n"
        "/dev/vdb1      7811939620 7733820224 78119396 100% /data\n"
        "tmpfs             1024000   1024000         0 100% /run\n"
    )
    found = {one.target.rpartition("/-/")[2]: one.verdict for one in read_pasted(text).findings}
    assert found == {"/": "critical", "/data": "warn"}
    inodes = (
        "文件系统         Inodes   已用(I)  可用(I) 已用(I)% 挂载点\n"
        "/dev/vda1       1310720  1310720        0     100% /\n"
    )
    assert read_pasted(inodes).findings[0].cause == "inode-full"


def test_mdadm_names_the_member_that_is_gone() -> None:
    text = (
        "/dev/md9:\n        Raid Level : raid5\n      Raid Devices : 3\n"
        "             State : clean, degraded \n    Active Devices : 2\n"
        "    Number   Major   Minor   RaidDevice State\n"
        "       0       8        1        0      active sync   /dev/sda1\n"
        "       -       0        0        1      removed\n"
        "       2       8       33        2      active sync   /dev/sdc1\n"
        "       1       8       17        -      faulty   /dev/sdb1\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "sdb1" in reading.findings[0].text


def test_a_silent_file_server_and_one_that_came_back() -> None:
    silent = "[ 884.100000] nfs: server 10.7.7.7 not responding, still trying\n"
    assert read_pasted(silent).verdict == "critical"
    assert read_pasted(silent + "[ 899.100000] nfs: server 10.7.7.7 OK\n").verdict == "warn"
