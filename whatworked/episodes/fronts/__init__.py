"""Ways into an episode: each passes calls on to `whatworked.episodes.Episode` and knows no rules."""
