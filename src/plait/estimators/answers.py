"""What `joint(X)` returns, from the room below: estimators hand it on under their own name too."""

from plait.posterior import LikelySets, Posterior

__all__ = ["LikelySets", "Posterior"]
