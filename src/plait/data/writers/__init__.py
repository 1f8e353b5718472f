"""One writer a format, each from a `Dataset` to a file that replaces the old one whole or not at all."""
