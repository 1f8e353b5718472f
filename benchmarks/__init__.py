"""Named, repeatable comparisons with the alternatives, each printing ratios measured in one run."""
