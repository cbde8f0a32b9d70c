"""A plug-in that was edited after the run that stands beside it."""
from near import level


def mine(masks, utilities, all_masks):
    return utilities.mean() * level + 0 * all_masks.sum(axis=1)
