"""Hand-written scenarios: where they are, what a system must be asked to play one, and whether what it did holds.

Refuses to generate any: a vector is transcribed from the contract's worked races, never from the model.
"""

from lifecycle_conformance.vectors.check import Mismatch, check_vector
from lifecycle_conformance.vectors.load import VectorError, load_vector, load_vectors
from lifecycle_conformance.vectors.plan import Part, bursts_of, parts_of
from lifecycle_conformance.vectors.reach import out_of_reach

__all__ = [
    "Mismatch",
    "Part",
    "VectorError",
    "bursts_of",
    "check_vector",
    "load_vector",
    "load_vectors",
    "out_of_reach",
    "parts_of",
]
