"""Text of what runs beside a player's program, where this package is not to be seen: numpy and nothing else."""
