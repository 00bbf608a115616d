"""Thin programs, one a rule: read files, call the library, write files. All take --help."""
