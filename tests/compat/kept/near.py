level = 0.5
