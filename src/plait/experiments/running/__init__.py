"""Cells of a plan: run, claimed by one process, kept in a store, in parallel or on a cluster."""
