"""The `plait` command: words to calls, parsing only. What a command does lies in `plait.commands`.

Takes command-line words; hands on an exit code: 0, 1 where a part of the work failed, 2 with one line on
standard error for bad input, 130 for Ctrl-C. Nothing here loads NumPy: a command's body is loaded when it runs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
