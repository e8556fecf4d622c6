"""Filters: selection before any model is trained."""
