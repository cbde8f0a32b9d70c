"""Examples of the documentation; `whatworked examples DIR` writes them into a folder."""
