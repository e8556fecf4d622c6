"""LETOR and SVMlight text."""

from ranksieve.data.text.features import TextFeatures
from ranksieve.data.text.reader import TextShape, read_text, read_text_blocks, scan_text

__all__ = ["TextFeatures", "TextShape", "read_text", "read_text_blocks", "scan_text"]
