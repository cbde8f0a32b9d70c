"""Data files of the drift: texts, the recorded public sets, retired instances."""
