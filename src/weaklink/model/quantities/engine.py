"""An inference engine or an application, as it counts itself; target: process key of its link."""

from weaklink.model.quantity import declare

ENGINE_REQUESTS_RUNNING = declare(
    "engine_requests_running", "requests", "gauge", "none", "requests that it works on"
)
ENGINE_REQUESTS_WAITING = declare(
    "engine_requests_waiting", "requests", "gauge", "up", "requests in its own queue"
)
ENGINE_KV_USED_RATIO = declare(
    "engine_kv_used_ratio", "ratio", "gauge", "none", "share of its KV cache in use"
)
ENGINE_OUTPUT_TOKENS_RATE = declare(
    "engine_output_tokens_rate", "tokens/s", "gauge", "down", "tokens a second, as it says itself"
)
ENGINE_BATCH_LIMIT = declare(
    "engine_batch_limit", "requests", "gauge", "none", "requests that it may work on at a time"
)
ENGINE_PREEMPTIONS_TOTAL = declare(
    "engine_preemptions_total", "requests", "counter", "up", "requests put back for lack of KV"
)
ENGINE_PROMPT_TOKENS_TOTAL = declare(
    "engine_prompt_tokens_total", "tokens", "counter", "none", "tokens of prompts computed"
)
ENGINE_OUTPUT_TOKENS_TOTAL = declare(
    "engine_output_tokens_total", "tokens", "counter", "none", "tokens generated"
)
ENGINE_FIRST_TOKEN_SECONDS_TOTAL = declare(
    "engine_first_token_seconds_total", "s", "counter", "none", "sum of times to the first token"
)
ENGINE_FIRST_TOKENS_TOTAL = declare(
    "engine_first_tokens_total", "requests", "counter", "none", "requests that got a first token"
)
ENGINE_TOKEN_GAP_SECONDS_TOTAL = declare(
    "engine_token_gap_seconds_total", "s", "counter", "none", "sum of times between two tokens"
)
ENGINE_TOKEN_GAPS_TOTAL = declare(
    "engine_token_gaps_total", "tokens", "counter", "none", "tokens behind that sum"
)
ENGINE_REQUEST_SECONDS_TOTAL = declare(
    "engine_request_seconds_total", "s", "counter", "none", "sum of whole requests' durations"
)
ENGINE_REQUESTS_DONE_TOTAL = declare(
    "engine_requests_done_total", "requests", "counter", "none", "requests that ended"
)
ENGINE_REQUESTS_FAILED_TOTAL = declare(
    "engine_requests_failed_total", "requests", "counter", "up", "requests that failed in it"
)
ENGINE_QUEUE_SECONDS_TOTAL = declare(
    "engine_queue_seconds_total", "s", "counter", "none", "sum of times in its own queue"
)
ENGINE_QUEUED_TOTAL = declare(
    "engine_queued_total", "requests", "counter", "none", "requests behind that sum"
)
ENGINE_COMPUTE_SECONDS_TOTAL = declare(
    "engine_compute_seconds_total", "s", "counter", "none", "sum of times computing requests"
)
ENGINE_BATCHES_TOTAL = declare(
    "engine_batches_total", "batches", "counter", "none", "batches computed"
)
ENGINE_BATCHED_TOTAL = declare(
    "engine_batched_total", "requests", "counter", "none", "requests in these batches"
)
ENGINE_ENDED_STOP_TOTAL = declare(
    "engine_ended_stop_total", "requests", "counter", "none", "answers that came to their end"
)
ENGINE_ENDED_LENGTH_TOTAL = declare(
    "engine_ended_length_total", "requests", "counter", "up", "answers cut at a token limit"
)
ENGINE_ENDED_ABORT_TOTAL = declare(
    "engine_ended_abort_total", "requests", "counter", "up", "requests whose client went away"
)
ENGINE_ENDED_ERROR_TOTAL = declare(
    "engine_ended_error_total", "requests", "counter", "up", "requests that ended in an error"
)
APP_REQUESTS_TOTAL = declare(
    "app_requests_total", "requests", "counter", "none", "HTTP requests, as an application counts"
)
APP_REQUEST_ERRORS_TOTAL = declare(
    "app_request_errors_total", "requests", "counter", "up", "of these, answered 5xx"
)
APP_REQUEST_SECONDS_TOTAL = declare(
    "app_request_seconds_total", "s", "counter", "none", "sum of durations of HTTP requests"
)
APP_REQUESTS_TIMED_TOTAL = declare(
    "app_requests_timed_total", "requests", "counter", "none", "HTTP requests behind that sum"
)
