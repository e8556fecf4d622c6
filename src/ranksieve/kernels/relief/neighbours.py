"""Nearest documents of visited documents, level by level, with exact ties.

A list keeps, for a visited document and a level, the k least distances in rising order, the
places of their documents in the whole data, and how many documents beyond the list are at
exactly the last distance of it. Lists of parts of the data merge into the list of the whole.

A distance is summed feature by feature from the first to the last, one lane a document. So
it is the same bit for bit wherever the document stands, and equal documents tie exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled

# Documents compared at a time: their features, turned into columns, stay in the cache.
_TILE = 128
# Features taken at a time, so that a sum is loaded and stored once for all of them.
_STEP = 8


@compiled
def find_nearest(
    rows: NDArray[np.float64],
    first: int,
    levels: NDArray[np.int64],
    row_ptr: NDArray[np.int64],
    visited: NDArray[np.float64],
    visited_rows: NDArray[np.int64],
    visited_ptr: NDArray[np.int64],
    squared: bool,
    distances: NDArray[np.float64],
    places: NDArray[np.int64],
    beyond: NDArray[np.int64],
) -> None:
    """Offer documents to the lists of visited ones, group by group.

    Group g compares visited[visited_ptr[g]:visited_ptr[g + 1]] with
    rows[row_ptr[g]:row_ptr[g + 1]]. Row 0 has the place `first` in the whole data, and a
    visited document is not compared with itself, which is at the place `visited_rows`.
    Distances are sums of differences, or of their squares if `squared`.
    """
    tile = np.empty(rows.shape[1] * _TILE)
    row = np.empty(_TILE)
    for group in range(len(row_ptr) - 1):
        if visited_ptr[group] == visited_ptr[group + 1]:
            continue
        for start in range(row_ptr[group], row_ptr[group + 1], _TILE):
            stop = min(start + _TILE, row_ptr[group + 1])
            turned = _turn(rows, start, stop, tile)
            for x in range(visited_ptr[group], visited_ptr[group + 1]):
                away = row[: stop - start]
                _measure(visited[x], turned, squared, away)
                for document in range(stop - start):
                    level = levels[start + document]
                    index = first + start + document
                    if away[document] <= distances[x, level, -1] and index != visited_rows[x]:
                        _offer(
                            away[document],
                            index,
                            distances[x, level],
                            places[x, level],
                            beyond[x, level : level + 1],
                        )


@compiled
def merge_nearest(
    distances: NDArray[np.float64],
    places: NDArray[np.int64],
    beyond: NDArray[np.int64],
    other_distances: NDArray[np.float64],
    other_places: NDArray[np.int64],
    other_beyond: NDArray[np.int64],
) -> None:
    """Bring the lists of another part of the data into the first ones."""
    n_visited, n_levels, k = distances.shape
    for x in range(n_visited):
        for level in range(n_levels):
            for slot in range(k):
                away = other_distances[x, level, slot]
                if away <= distances[x, level, k - 1] and away < np.inf:
                    _offer(
                        away,
                        other_places[x, level, slot],
                        distances[x, level],
                        places[x, level],
                        beyond[x, level : level + 1],
                    )
            # The others' last distance is never below that of the merged list.
            if other_distances[x, level, k - 1] == distances[x, level, k - 1]:
                beyond[x, level] += other_beyond[x, level]


@compiled
def share_positions(
    distances: NDArray[np.float64],
    beyond: NDArray[np.int64],
    profile: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> None:
    """Write the weight of each listed neighbour; those of a list and beyond it sum to 1.

    Position i of K has the weight profile[i] / sum(profile[:K]), and documents at an equal
    distance each get the mean of the positions that they span.
    """
    n_visited, n_levels, k = distances.shape
    for x in range(n_visited):
        for level in range(n_levels):
            ranked, out = distances[x, level], shares[x, level]
            total, n_listed = 0.0, 0
            while n_listed < k and ranked[n_listed] < np.inf:
                total += profile[n_listed]
                n_listed += 1
            start = 0
            while start < n_listed:
                stop, weight = start, 0.0
                while stop < n_listed and ranked[stop] == ranked[start]:
                    weight += profile[stop]
                    stop += 1
                tied = stop - start + (beyond[x, level] if stop == k else 0)
                out[start:stop] = weight / total / tied
                start = stop
            out[n_listed:] = 0.0


@compiled
def find_tied(
    rows: NDArray[np.float64],
    first: int,
    levels: NDArray[np.int64],
    row_ptr: NDArray[np.int64],
    visited: NDArray[np.float64],
    visited_rows: NDArray[np.int64],
    visited_ptr: NDArray[np.int64],
    squared: bool,
    distances: NDArray[np.float64],
    beyond: NDArray[np.int64],
    owners: NDArray[np.int64],
    neighbours: NDArray[np.int64],
) -> int:
    """Write the pairs of a visited document and one at the last distance of an overfull list.

    Arguments as for `find_nearest`. `owners` are indices of visited documents, `neighbours`
    places in the whole data; the number of pairs is returned.
    """
    tile = np.empty(rows.shape[1] * _TILE)
    row = np.empty(_TILE)
    n_pairs = 0
    for group in range(len(row_ptr) - 1):
        if visited_ptr[group] == visited_ptr[group + 1]:
            continue
        for start in range(row_ptr[group], row_ptr[group + 1], _TILE):
            stop = min(start + _TILE, row_ptr[group + 1])
            turned = _turn(rows, start, stop, tile)
            for x in range(visited_ptr[group], visited_ptr[group + 1]):
                away = row[: stop - start]
                _measure(visited[x], turned, squared, away)
                for document in range(stop - start):
                    level = levels[start + document]
                    index = first + start + document
                    at_last = away[document] == distances[x, level, -1]
                    if at_last and beyond[x, level] > 0 and index != visited_rows[x]:
                        owners[n_pairs] = x
                        neighbours[n_pairs] = index
                        n_pairs += 1
    return n_pairs


@compiled
def _offer(
    away: float,
    index: int,
    distances: NDArray[np.float64],
    places: NDArray[np.int64],
    beyond: NDArray[np.int64],
) -> None:
    """Put a document, not farther than the last, into a list or to those beyond it."""
    slot = len(distances) - 1
    last = distances[slot]
    if away == last:
        beyond[0] += 1
        return
    while slot > 0 and distances[slot - 1] > away:
        distances[slot], places[slot] = distances[slot - 1], places[slot - 1]
        slot -= 1
    distances[slot], places[slot] = away, index
    # The old last document left the list: it is beyond it only if as near as the new last.
    beyond[0] = beyond[0] + 1 if distances[-1] == last and last < np.inf else 0


@compiled
def _turn(
    rows: NDArray[np.float64], start: int, stop: int, tile: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return rows[start:stop] as columns: features by documents, in the memory of `tile`."""
    n_features, size = rows.shape[1], stop - start
    turned = tile[: n_features * size].reshape(n_features, size)
    for document in range(stop - start):
        values = rows[start + document]
        for feature in range(len(values)):
            turned[feature, document] = values[feature]
    return turned


@compiled
def _measure(
    x: NDArray[np.float64],
    turned: NDArray[np.float64],
    squared: bool,
    away: NDArray[np.float64],
) -> None:
    """Write the distance of x from each column of `turned`."""
    away[:] = 0.0
    in_steps = len(x) // _STEP * _STEP
    for start in range(0, in_steps, _STEP):
        if squared:
            _add_squares(x[start : start + _STEP], turned[start : start + _STEP], away)
        else:
            _add_sizes(x[start : start + _STEP], turned[start : start + _STEP], away)
    for feature in range(in_steps, len(x)):
        value, column = x[feature], turned[feature]
        for document in range(len(away)):
            difference = column[document] - value
            away[document] += difference * difference if squared else abs(difference)


@compiled
def _add_sizes(
    x: NDArray[np.float64], turned: NDArray[np.float64], away: NDArray[np.float64]
) -> None:
    """Add the absolute differences of eight features, one after the other."""
    for document in range(len(away)):
        total = away[document]
        total += abs(turned[0, document] - x[0])
        total += abs(turned[1, document] - x[1])
        total += abs(turned[2, document] - x[2])
        total += abs(turned[3, document] - x[3])
        total += abs(turned[4, document] - x[4])
        total += abs(turned[5, document] - x[5])
        total += abs(turned[6, document] - x[6])
        total += abs(turned[7, document] - x[7])
        away[document] = total


@compiled
def _add_squares(
    x: NDArray[np.float64], turned: NDArray[np.float64], away: NDArray[np.float64]
) -> None:
    """Add the squared differences of eight features, one after the other."""
    for document in range(len(away)):
        total = away[document]
        total += (turned[0, document] - x[0]) ** 2
        total += (turned[1, document] - x[1]) ** 2
        total += (turned[2, document] - x[2]) ** 2
        total += (turned[3, document] - x[3]) ** 2
        total += (turned[4, document] - x[4]) ** 2
        total += (turned[5, document] - x[5]) ** 2
        total += (turned[6, document] - x[6]) ** 2
        total += (turned[7, document] - x[7]) ** 2
        away[document] = total
