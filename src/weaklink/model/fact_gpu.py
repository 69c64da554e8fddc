"""Accelerators as their driver's tools print them; None is "not said", which is never a zero."""

from __future__ import annotations

from weaklink.model.base import Record


class Gpu(Record, frozen=True, tag=True):
    """One GPU at one moment. Bytes, watts, Celsius, ratios 0 to 1."""

    index: str = ""
    bus: str = ""
    """PCI address as printed, lower case, for example `00000000:10:1c.0`."""
    name: str = ""
    uuid: str = ""
    host: str = ""
    lost: bool = False
    """The driver says that it is lost or has fallen off the bus."""
    error: str = ""
    """What the tool said instead of a value, for example `ERR!`."""
    mig: bool | None = None
    utilisation: float | None = None
    memory_utilisation: float | None = None
    encoder: float | None = None
    decoder: float | None = None
    memory_used: float | None = None
    memory_total: float | None = None
    power: float | None = None
    power_limit: float | None = None
    temperature: float | None = None
    temperature_slowdown: float | None = None
    performance_state: str = ""
    fan_error: bool = False
    ecc_uncorrected_volatile: int | None = None
    ecc_uncorrected_aggregate: int | None = None
    ecc_corrected: int | None = None
    remapped_correctable: int | None = None
    remapped_uncorrectable: int | None = None
    remap_pending: bool | None = None
    remap_failed: bool | None = None
    retired_pending: bool | None = None
    recovery_action: str = ""
    """`None`, `Reset`, `Reboot`, `Drain P2P`, `Drain and Reset` …; '' where unsaid."""
    slowdowns: list[str] = []
    """Reasons that are active now, in the driver's words: `HW Slowdown`, `SW Power Cap` …"""
    slowdown_said: bool = False
    """The text lists the reasons, so an empty list means that none is active."""
    slowdown_seconds: dict[str, float] = {}
    """Cumulative since the driver was loaded, by reason."""
    pcie_width: int | None = None
    pcie_width_max: int | None = None
    pcie_generation: int | None = None
    pcie_generation_max: int | None = None
    clock: float | None = None
    clock_max: float | None = None
    processes_listed: bool = False
    """The text has a table of processes (which may be empty)."""
    full: bool = False
    """A whole report (-q or -x), in which a missing field is worth saying."""
    missing: list[str] = []
    """Names of fields that the report should have and has not, or has as N/A."""
    last_xid: int | None = None
    """The Xid that the driver reported last, 0 for none; when is not said."""
    lines: dict[str, str] = {}


class MigSlice(Record, frozen=True, tag=True):
    """One MIG instance. `multiprocessors` is its number of SMs, not a utilisation."""

    gpu: str
    instance: str
    memory_used: float | None = None
    memory_total: float | None = None
    multiprocessors: int | None = None
    ecc_uncorrected: int | None = None
    line: str = ""


class GpuProcess(Record, frozen=True, tag=True):
    """One process that holds GPU memory or computes. `gone`: the text shows that no such pid is."""

    gpu: str
    pid: int
    name: str = ""
    kind: str = ""
    """`C` computes, `G` draws, `C+G`."""
    memory: float | None = None
    multiprocessor: float | None = None
    """Share of the SMs' time, 0 to 1, the highest seen."""
    encoder: float | None = None
    decoder: float | None = None
    samples: int = 1
    gone: bool = False
    line: str = ""
    gone_line: str = ""


class GpuSample(Record, frozen=True, tag=True):
    """One row of `nvidia-smi dmon`; ratios 0 to 1."""

    gpu: str
    multiprocessor: float | None = None
    memory: float | None = None
    encoder: float | None = None
    decoder: float | None = None
    power: float | None = None
    temperature: float | None = None
    clock: float | None = None
    line: str = ""


class DriverTrouble(Record, frozen=True, tag=True):
    """The driver's tool could not talk to the driver or a GPU; `text` in its own words."""

    tool: str
    kind: str
    """`lost`, `no-driver`, `no-device`, `mismatch`, `timeout`, `insufficient-power`, `unknown`."""
    text: str
    bus: str = ""
