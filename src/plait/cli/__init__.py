"""The `plait` command: words to calls, one file per command, parsing only.

Takes command-line words; hands on an exit code.
"""

__all__: list[str] = []
