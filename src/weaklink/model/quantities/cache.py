"""One cache server (Redis); target: key of its process."""

from weaklink.model.quantity import declare

CACHE_HITS_TOTAL = declare(
    "cache_hits_total",
    "lookups",
    "counter",
    "none",
    "look-ups that found their key, own ones subtracted",
)
CACHE_MISSES_TOTAL = declare(
    "cache_misses_total",
    "lookups",
    "counter",
    "up",
    "look-ups that did not, own ones subtracted",
)
CACHE_EXPIRED_KEYS_TOTAL = declare(
    "cache_expired_keys_total",
    "keys",
    "counter",
    "none",
    "keys that expired",
)
CACHE_EVICTED_KEYS_TOTAL = declare(
    "cache_evicted_keys_total",
    "keys",
    "counter",
    "up",
    "keys thrown out for lack of memory",
)
CACHE_COMMANDS_TOTAL = declare(
    "cache_commands_total",
    "commands",
    "counter",
    "none",
    "commands processed",
)
CACHE_CONNECTIONS_TOTAL = declare(
    "cache_connections_total",
    "connections",
    "counter",
    "none",
    "connections accepted",
)
CACHE_REJECTED_CONNECTIONS_TOTAL = declare(
    "cache_rejected_connections_total",
    "connections",
    "counter",
    "up",
    "connections refused at maxclients",
)
CACHE_SET_COMMANDS_TOTAL = declare(
    "cache_set_commands_total",
    "commands",
    "counter",
    "none",
    "commands that store a value (SET, SETEX, PSETEX, HSET, MSET …)",
)
CACHE_EXPIRE_COMMANDS_TOTAL = declare(
    "cache_expire_commands_total",
    "commands",
    "counter",
    "none",
    "commands that change an expiry (EXPIRE, PEXPIRE, EXPIREAT …)",
)
CACHE_DELETE_COMMANDS_TOTAL = declare(
    "cache_delete_commands_total",
    "commands",
    "counter",
    "none",
    "commands that remove keys (DEL, UNLINK, FLUSHDB …)",
)
CACHE_GET_COMMANDS_TOTAL = declare(
    "cache_get_commands_total",
    "commands",
    "counter",
    "none",
    "commands that read a value (GET, MGET, HGET …)",
)
CACHE_SLOW_SCAN_COMMANDS_TOTAL = declare(
    "cache_slow_scan_commands_total",
    "commands",
    "counter",
    "up",
    "commands whose cost grows with the keyspace or a key (KEYS, SORT, LRANGE, EVAL, FLUSHALL …)",
)
CACHE_COMMAND_SECONDS_TOTAL = declare(
    "cache_command_seconds_total",
    "s",
    "counter",
    "up",
    "time that the server spent executing commands",
)
CACHE_SLOW_SCAN_SECONDS_TOTAL = declare(
    "cache_slow_scan_seconds_total",
    "s",
    "counter",
    "up",
    "of it, in commands whose cost grows with the keyspace or a key",
)
CACHE_KEYS = declare(
    "cache_keys",
    "keys",
    "gauge",
    "none",
    "keys in all databases",
)
CACHE_KEYS_WITH_EXPIRY = declare(
    "cache_keys_with_expiry",
    "keys",
    "gauge",
    "none",
    "keys that will expire",
)
CACHE_MEAN_TTL_SECONDS = declare(
    "cache_mean_ttl_seconds",
    "s",
    "gauge",
    "none",
    "mean time to live as the server estimates it",
)
CACHE_USED_MEMORY_BYTES = declare(
    "cache_used_memory_bytes",
    "bytes",
    "gauge",
    "none",
    "memory of the data set and overhead",
)
CACHE_MEMORY_LIMIT_BYTES = declare(
    "cache_memory_limit_bytes",
    "bytes",
    "gauge",
    "none",
    "maxmemory, 0 for none",
)
CACHE_CLIENTS = declare(
    "cache_clients",
    "clients",
    "gauge",
    "none",
    "connected clients",
)
CACHE_BLOCKED_CLIENTS = declare(
    "cache_blocked_clients",
    "clients",
    "gauge",
    "none",
    "clients in a blocking call",
)
CACHE_PING_SECONDS = declare(
    "cache_ping_seconds",
    "s",
    "gauge",
    "up",
    "time from a PING to its answer",
)
CACHE_UPTIME_SECONDS = declare(
    "cache_uptime_seconds",
    "s",
    "gauge",
    "none",
    "since the server started",
)
CACHE_LOADING = declare(
    "cache_loading",
    "flag",
    "gauge",
    "up",
    "1 while it reads its data set",
)
CACHE_REPLICA = declare(
    "cache_replica",
    "flag",
    "gauge",
    "none",
    "1 where it copies another server",
)
CACHE_SAVING = declare(
    "cache_saving",
    "flag",
    "gauge",
    "none",
    "1 while a child writes a snapshot",
)
CACHE_LAST_FORK_SECONDS = declare(
    "cache_last_fork_seconds",
    "s",
    "gauge",
    "up",
    "how long the last fork stopped the server",
)
CACHE_FLUSH_COMMANDS_TOTAL = declare(
    "cache_flush_commands_total",
    "commands",
    "counter",
    "up",
    "commands that empty a database (FLUSHDB, FLUSHALL)",
)
CACHE_REFUSED_COMMANDS_TOTAL = declare(
    "cache_refused_commands_total",
    "commands",
    "counter",
    "up",
    "commands that it answered with OOM, MISCONF, READONLY, LOADING, MASTERDOWN or CLUSTERDOWN",
)
CACHE_SAVE_FAILED = declare(
    "cache_save_failed",
    "flag",
    "gauge",
    "up",
    "1 where its last snapshot failed, after which it refuses writes unless told otherwise",
)
CACHE_PUSH_COMMANDS_TOTAL = declare(
    "cache_push_commands_total",
    "commands",
    "counter",
    "none",
    "commands that add to a queue (LPUSH, RPUSH, XADD)",
)
CACHE_POP_COMMANDS_TOTAL = declare(
    "cache_pop_commands_total",
    "commands",
    "counter",
    "none",
    "commands that take from a queue (LPOP, BRPOP, LMOVE, XREADGROUP, XACK …)",
)
