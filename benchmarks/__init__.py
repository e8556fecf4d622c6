"""Speed and memory against peers, both sides in one run."""
