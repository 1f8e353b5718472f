"""One reader a format, each from a file to a `Dataset`.

`mulan` and `meka` read ARFF, `libsvm` and `xc` read lines of `labels index:value ...`, `delimited` and `parquet` read
tables through pandas or polars.
"""
