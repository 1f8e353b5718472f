"""Training where labels are unknown: EM on the observed-data likelihood, exact on polytrees, else by completions."""
