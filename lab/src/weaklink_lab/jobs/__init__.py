"""Jobs that run beside a service: batches, other teams' programs, pages that stay open."""
