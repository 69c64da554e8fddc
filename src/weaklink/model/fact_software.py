"""All facts about software that a text tells, pasted or read here, as one union of a Take."""

from __future__ import annotations

from weaklink.model.fact_app_log import AppLog, AppSaying
from weaklink.model.fact_files import OpenFile
from weaklink.model.fact_text_cache import (
    CacheClients,
    CacheCount,
    CacheInfo,
    CacheKeyRow,
    CacheLatency,
    CacheProbe,
    CacheStat,
)
from weaklink.model.fact_text_engine import (
    CollectiveTimeout,
    EngineSample,
    EngineTotals,
    MemoryShortage,
)
from weaklink.model.fact_text_host import (
    HostSample,
    MapsDigest,
    Pressure,
    ProcessMemory,
    ProcessRow,
    SyscallRow,
)
from weaklink.model.fact_text_jvm import GcDigest, HeapWatch, JavaDeadlock, JavaThread
from weaklink.model.fact_text_log import AccessDigest, Saying
from weaklink.model.fact_text_platform import (
    CgroupFiles,
    ContainerState,
    HostMemory,
    KubeEvent,
    KubeNode,
)

Software = (
    OpenFile
    | HostSample
    | ProcessRow
    | ProcessMemory
    | Pressure
    | SyscallRow
    | MapsDigest
    | CacheInfo
    | CacheKeyRow
    | CacheLatency
    | CacheClients
    | CacheStat
    | CacheProbe
    | CacheCount
    | EngineSample
    | EngineTotals
    | CollectiveTimeout
    | MemoryShortage
    | GcDigest
    | HeapWatch
    | JavaThread
    | JavaDeadlock
    | Saying
    | AccessDigest
    | CgroupFiles
    | HostMemory
    | KubeEvent
    | ContainerState
    | KubeNode
    | AppLog
    | AppSaying
)
