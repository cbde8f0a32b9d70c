"""The environment ``drift``: five domains on a clock, whose objects are secretly about sixteen individuals."""
