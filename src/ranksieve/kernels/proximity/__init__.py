"""Loops over positions of words."""
