"""The `plait` command: words to calls, one file per command, parsing only.

Takes command-line words; hands on an exit code: 0, 1 where a part of the work failed, 2 with one line on
standard error for bad input, 130 for Ctrl-C.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
