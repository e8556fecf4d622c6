"""Results: from the rows of a store to the tables that statistics and reports are made from.

outcomes   the tables themselves: frozen and unrounded
shared     importances, similarities and traces, as the store has them
choose     the trial of each fold that validation chooses, and an outcome for each line
read       one study of a store, with its protocol in sentences
"""
