"""What readers and writers share: files as blocks of bytes, words as values, columns as matrices."""
