"""Relief: weights from what differs between near documents; sees features that act together."""
