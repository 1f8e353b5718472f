"""What the selectors share: counts of planes, searches, rankings and sizes."""
