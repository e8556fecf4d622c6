"""Compiled loops: plain arrays in, plain arrays out.

Module-level functions under `compiled`, without classes and without other imports from
ranksieve. They release the interpreter lock, so a thread pool runs them side by side.
"""
