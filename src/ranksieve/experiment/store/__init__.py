"""The store: what was computed, in one SQLite file that survives the end of any process.

schema    the tables, the format number, arrays as bytes, and how a store is opened
store     what is written and read: studies, shared parts, models and trials
claims    who works at what, so that nothing is computed twice
exchange  rows that go from the store of a worker to that of the client
"""
