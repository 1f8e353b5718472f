"""What the commands of `plait` do, one file each.

Takes names, files and folders; hands on printed lines, written files and exit codes (None is 0).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
