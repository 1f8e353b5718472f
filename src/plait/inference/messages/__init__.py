"""Messages along forests and polytrees (belief propagation): max-product (Viterbi), sum-product, and mixtures of both.

Plain NumPy and compiled kernels for the same messages; `message_plan` says in which order they are sent.
"""
