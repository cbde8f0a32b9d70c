"""Running configurations: pinned workers, shared stages, a journal, and the tables that come of it."""
