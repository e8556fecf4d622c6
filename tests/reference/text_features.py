"""The features of docs/text.md for one query and one document, from lists of terms: slow, obvious.

A field is a list of terms in which None is a stop word; a query is a list of terms.
"""

from __future__ import annotations

import math
from itertools import combinations, pairwise


def features(query: list, fields: list, number: int) -> dict[str, float]:
    """The features of document `number`, whose field is `fields[number]`."""
    words = fields[number]
    terms = [term for term in words if term is not None]
    asked = list(dict.fromkeys(query))
    texts = [[term for term in field if term is not None] for field in fields]
    tf = {term: terms.count(term) for term in asked}
    df = {term: sum(term in text for text in texts) for term in asked}
    idf = {term: math.log(len(texts) / df[term]) if df[term] else 0.0 for term in asked}
    covered = sum(tf[term] > 0 for term in asked)
    values = {
        "covered": covered,
        "covered_share": covered / len(asked),
        "any_term": float(covered > 0),
        "all_terms": float(covered == len(asked)),
        "length": len(terms),
        "bm25": bm25(query, texts, number),
        "lm_absolute": language_model(query, texts, number, "absolute"),
        "lm_dirichlet": language_model(query, texts, number, "dirichlet"),
        "lm_jelinek_mercer": language_model(query, texts, number, "jelinek_mercer"),
        **proximity(query, words),
    }
    quantities = {
        "tf": [tf[term] for term in asked],
        "normalised_tf": [tf[term] / len(terms) if terms else 0.0 for term in asked],
        "idf": [idf[term] if tf[term] else 0.0 for term in asked],
        "tf_idf": [tf[term] * idf[term] for term in asked],
    }
    for name, numbers in quantities.items():
        mean = sum(numbers) / len(numbers)
        values[f"{name}_sum"] = sum(numbers)
        values[f"{name}_mean"] = mean
        values[f"{name}_min"] = min(numbers)
        values[f"{name}_max"] = max(numbers)
        values[f"{name}_variance"] = sum((v - mean) ** 2 for v in numbers) / len(numbers)
    return values


def bm25(query: list, texts: list, number: int) -> float:
    mean_length = sum(map(len, texts)) / len(texts) or 1.0
    text, total = texts[number], 0.0
    for term in query:
        df = sum(term in other for other in texts)
        idf = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
        tf = text.count(term)
        total += idf * tf / (tf + 1.2 * (1 - 0.75 + 0.75 * len(text) / mean_length))
    return total


def language_model(query: list, texts: list, number: int, smoothing: str) -> float:
    text = texts[number]
    everything = [term for other in texts for term in other]
    total = 0.0
    for term in query:
        if term not in everything:
            continue
        background = everything.count(term) / len(everything)
        tf, length, distinct = text.count(term), len(text), len(set(text))
        if smoothing == "dirichlet":
            p = (tf + 2000 * background) / (length + 2000)
        elif smoothing == "jelinek_mercer":
            p = 0.9 * (tf / length if length else 0.0) + 0.1 * background
        elif length:
            p = max(tf - 0.7, 0) / length + 0.7 * distinct / length * background
        else:
            p = 0.7 * background
        total += math.log(p)
    return total


def proximity(query: list, words: list) -> dict[str, float]:
    asked = set(query)
    hits = [(position, term) for position, term in enumerate(words) if term in asked]
    occurring = {term for _, term in hits}
    pairs = list(pairwise(query))
    ordered = sum(
        (first, second) in pairs and after - before == 1
        for (before, first), (after, second) in pairwise(hits)
    )
    if len(occurring) < 2:
        return {"nearest_pair": 0.0, "cover": 0.0, "ordered_pairs": float(ordered)}
    nearest = min(b - a for (a, s), (b, t) in combinations(hits, 2) if s != t)
    shortest = min(
        stop - start + 1
        for start in range(len(words))
        for stop in range(start, len(words))
        if {term for term in words[start : stop + 1] if term in asked} == occurring
    )
    return {
        "nearest_pair": 1 / nearest,
        "cover": len(occurring) / shortest,
        "ordered_pairs": float(ordered),
    }
