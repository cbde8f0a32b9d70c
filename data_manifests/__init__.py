"""One TOML file per source, and the small raw files whose licence lets them be shipped."""
