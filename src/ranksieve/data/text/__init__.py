"""LETOR and SVMlight text."""

from ranksieve.data.text.reader import TextShape, read_text, read_text_blocks, scan_text

__all__ = ["TextShape", "read_text", "read_text_blocks", "scan_text"]
