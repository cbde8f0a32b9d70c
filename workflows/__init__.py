"""The eight workflow families, one module each, and their second, independent metrics."""
