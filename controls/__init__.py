"""Reference methods (ridge, Gaussian process, designs, code equivalence) and their recorded study."""
