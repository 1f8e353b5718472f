"""What every room leans on.

Takes nothing; hands on parameter rules declared as data (`checks`), the one form of a complaint (`sentences`), names
for classes (`naming`), labels as people give them in one form (`labels`), scikit-learn's contract
(`multilabel_classifier`), array types (`arrays`), products without false warnings (`products`), log-space helpers
(`logspace`), generators from `random_state` (`randomness`), progress (`progress_bar`, `callbacks`), optional packages
(`extras`), the one decorator of compiled kernels (`compilation`), when they pay (`kernel_policy`) and how they are
loaded (`lazy_modules`).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
