"""The nouns of Weaklink: frozen data without I/O, importing nothing else of ours."""
