"""Fitted models for search engines, with the scores that they have here.

Stations, from numbers of float32 to the file that an engine takes:

    thresholds      splits in the arithmetic of float32
    versions        what a version of an engine does with missing values
    result          a file for an engine, and what is to be known about it
    prepare         a description in float32, without questions that decide nothing
    ranklib, solr, vespa, onnx_graph, neutral, elasticsearch    one module for each target
    write           `export_model`: from a fitted ranker to the file
"""

from __future__ import annotations

from ranksieve.export.result import Export as Export
from ranksieve.export.write import TARGETS as TARGETS
from ranksieve.export.write import export_model as export_model
