"""Process scoring: how an agent came to what it says, read from the record of its run."""
