"""The tables of a study.

leaderboard     methods from the best on; their ranks over data sets
by_number       each number of features beside the reference
chosen          names of the chosen features; the set that the summary names
others          stability, time and memory, choices, failures, data
registry        every kind of table, with its section of the page
"""
