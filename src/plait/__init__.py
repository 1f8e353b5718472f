"""plait: probabilistic multi-label classification, one joint model for any question.

The rooms, in the order in which data flows through them: `core`, `data` and `counts`, `information`,
`structure`, `features`, `learners`, `joint`, `inference`, `losses`, `posterior`, then `estimators`, `baselines`
and `metrics`, `trust`, and above them `experiments`, `testing`, `commands` and `cli`. A room imports only rooms
before it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

__version__ = "0.1.0"
