"""Wrappers: selection by a model that is trained again and again."""
