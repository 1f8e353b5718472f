"""What several baselines are built on: base classes, learners of binary problems, label sets as classes, neighbours."""
