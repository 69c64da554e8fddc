"""What users feel: shape, impact, onset and what changed, from Requests, Series and Events."""
