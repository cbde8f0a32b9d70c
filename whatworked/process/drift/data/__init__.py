"""The criteria of the drift's judge, how they are asked, and the words that are hidden from it."""
