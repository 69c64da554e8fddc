"""Numbers to numbers: nothing here knows what the numbers mean."""
