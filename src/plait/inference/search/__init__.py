"""Searches of the probability tree, a node of which is a prefix: greedy, beam, branch and bound; and annealing."""
