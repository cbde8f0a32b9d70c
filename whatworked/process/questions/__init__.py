"""The questions of process scoring, one TOML file each; `whatworked.process.juries.questions` reads them."""
