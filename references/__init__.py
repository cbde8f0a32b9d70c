"""One text table per condition, and the index of what made them."""
