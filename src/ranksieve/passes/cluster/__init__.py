"""Work on a Dask cluster: the same functions, on other machines or in other processes.

versions     what a worker must have in common with its client
remote       what runs on a worker
connection   a client of a scheduler, and waits that end when a worker or the scheduler is lost
spread       a function over items, on all workers that there are
shared       objects that many of its calls use, sent once
calls        `Cluster`: a function on a worker, on several, or over items on all of them
arrays       arrays on the workers, for libraries that train on Dask themselves
connect      `cluster(address)`: a cluster for the code inside a `with`
residents    what a worker has of the data
placement    `place(data)`: data in the memory of the workers, and passes over it

Dask is imported when a cluster is asked for, and not before.
"""

from __future__ import annotations

from ranksieve.passes.cluster.arrays import ClusterArrays, PartOfWorker, cluster_arrays
from ranksieve.passes.cluster.calls import Cluster
from ranksieve.passes.cluster.connect import active_cluster, cluster
from ranksieve.passes.cluster.placement import parts_on_workers, place
from ranksieve.passes.cluster.remote import process_name, worker_address, worker_folder

__all__ = [
    "Cluster",
    "ClusterArrays",
    "PartOfWorker",
    "active_cluster",
    "cluster",
    "cluster_arrays",
    "parts_on_workers",
    "place",
    "process_name",
    "worker_address",
    "worker_folder",
]
