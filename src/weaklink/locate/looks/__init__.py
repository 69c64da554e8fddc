"""One file a subject: Evidence for the chain, Findings for the device."""
