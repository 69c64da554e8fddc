"""What NVIDIA's Xid numbers mean, and which of them is the cause and which only follows.

Source: NVIDIA, "XID Errors" (docs.nvidia.com/deploy/xid-errors), and the driver's own texts.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["hardware", "memory", "link", "program", "driver", "secondary", "notice"]


class Meaning(NamedTuple):
    """`rank`: the higher, the nearer to the cause when several come together on one GPU."""

    text: str
    kind: Kind
    rank: int
    action: str


_RESET = "drain the node, reset the GPU (nvidia-smi --gpu-reset) or reboot"
_PROGRAM = "restart the process; if it repeats on this card alone, test the card (dcgmi diag -r 3)"
_LINK = "check both ends: nvidia-smi nvlink -s and -e, fabric manager log; reset if it stays"
_REPLACE = "reset; if it comes back on this card, have it replaced"

XIDS: dict[int, Meaning] = {
    13: Meaning("graphics engine exception", "program", 30, _PROGRAM),
    31: Meaning("MMU fault: a kernel touched memory that is not its own", "program", 32, _PROGRAM),
    32: Meaning("corrupted push buffer", "program", 28, _PROGRAM),
    38: Meaning("driver firmware error", "driver", 50, _RESET),
    43: Meaning("the GPU stopped processing for one program", "program", 25, _PROGRAM),
    45: Meaning("channels torn down after another error or a kill", "secondary", 1, ""),
    46: Meaning("the GPU stopped processing", "hardware", 45, _RESET),
    48: Meaning("double-bit ECC error, uncorrectable", "memory", 90, _REPLACE),
    54: Meaning("auxiliary power is not connected", "hardware", 95, "check the power cables"),
    56: Meaning("display engine error", "hardware", 40, _RESET),
    57: Meaning("memory interface error", "memory", 60, _REPLACE),
    58: Meaning("unstable memory interface", "memory", 60, _REPLACE),
    61: Meaning("internal micro-controller breakpoint", "hardware", 55, _RESET),
    62: Meaning("internal micro-controller halt", "hardware", 56, _RESET),
    63: Meaning("a memory row or page was marked for remapping", "memory", 20, _RESET),
    64: Meaning("remapping a memory row or page failed", "memory", 88, "have the card replaced"),
    68: Meaning("video decoder exception", "program", 28, _PROGRAM),
    69: Meaning("graphics engine class error", "program", 28, _PROGRAM),
    74: Meaning("NVLink error", "link", 70, _LINK),
    79: Meaning(
        "the GPU has fallen off the bus",
        "hardware",
        100,
        "reboot; if it repeats, check power, temperature, PCIe errors (AER), and reseat the card",
    ),
    80: Meaning("corrupted data sent to the GPU", "hardware", 65, _RESET),
    92: Meaning("high rate of single-bit ECC errors", "memory", 22, _REPLACE),
    94: Meaning("contained ECC error: the program that hit it dies", "memory", 40, _RESET),
    95: Meaning("uncontained ECC error: every program on the card is hit", "memory", 85, _REPLACE),
    109: Meaning("context switch timeout: the process hangs", "program", 52, _PROGRAM),
    110: Meaning("security fault", "hardware", 80, "power-cycle; if it repeats, replace the card"),
    119: Meaning("GSP firmware did not answer a call in time", "driver", 75, _RESET),
    120: Meaning("GSP firmware error", "driver", 74, _RESET),
    121: Meaning(
        "corrected error on the chip-to-chip link", "notice", 12, "reset when it is convenient"
    ),
    122: Meaning("power controller did not answer", "driver", 50, _RESET),
    123: Meaning("power controller did not answer", "driver", 50, _RESET),
    136: Meaning("NVLink training failed", "link", 68, _LINK),
    137: Meaning("NVLink privilege error, from a peer", "link", 45, _LINK),
    140: Meaning("ECC error that was not recovered", "memory", 86, _REPLACE),
    143: Meaning("the GPU could not be initialised", "driver", 78, _RESET),
    144: Meaning("NVLink error (SAW)", "link", 66, _LINK),
    145: Meaning("NVLink error (RLW), often a peer's", "link", 64, _LINK),
    146: Meaning("NVLink error (TLW)", "link", 66, _LINK),
    147: Meaning("NVLink error (TREX)", "link", 66, _LINK),
    148: Meaning("NVLink error (NVLPW)", "link", 66, _LINK),
    149: Meaning("NVLink error (NETIR): the link itself", "link", 71, _LINK),
    150: Meaning("NVLink error (MSE)", "link", 66, _LINK),
    154: Meaning("the driver asks for a recovery action", "notice", 5, _RESET),
    155: Meaning("NVLink error found by the driver", "link", 62, _LINK),
    156: Meaning("a resource was retired", "memory", 22, _RESET),
    157: Meaning("retiring a resource failed", "memory", 80, _REPLACE),
    158: Meaning("fatal GPU timeout", "hardware", 82, _RESET),
    160: Meaning("a memory channel was retired", "memory", 60, _RESET),
    161: Meaning("retiring a memory channel failed", "memory", 84, _REPLACE),
    171: Meaning("details of an uncorrectable DRAM error", "memory", 89, _REPLACE),
    172: Meaning("details of an uncorrectable SRAM error", "memory", 87, _REPLACE),
}
WARN_ALONE = frozenset({45, 63, 92, 121, 156})
"""Nothing is broken now: a row waits for a reset, or channels went away with a killed process."""


def meaning(number: int) -> Meaning:
    """What an Xid means; one that is not in the table is said to be so."""
    return XIDS.get(number, Meaning("not in our table", "driver", 10, _RESET))
