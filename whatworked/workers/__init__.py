"""Worker processes under one numeric profile."""
