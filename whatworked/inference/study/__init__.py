"""How the methods of this package were chosen and calibrated; nothing else needs it."""
