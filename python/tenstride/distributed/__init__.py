# SPDX-License-Identifier: Apache-2.0
"""Tensors that are spread over many ranks: who holds what, and how to get them held otherwise.

Placements and plans need no MPI; `Ranks` is made of an mpi4py communicator.

>>> from tenstride.distributed import distribute, plan_redistribution
>>> held = distribute((8, 6), mesh=4, placements="S(0)")
>>> wanted = distribute((6, 8), mesh=4, placements="S(0)")
>>> plan_redistribution(held, wanted, order=(1, 0)).bytes_sent
144
"""

from __future__ import annotations

from .._tenstride._distributed import (
    BlockCyclic,
    Distribution,
    Placement,
    RedistributionPlan,
    Replicate,
    Shard,
    StridedShard,
    distribute,
    plan_redistribution,
)
from .ranks import Ranks
from .redistributor import Redistributor, redistribute

__all__ = [
    "BlockCyclic",
    "Distribution",
    "Placement",
    "Ranks",
    "RedistributionPlan",
    "Redistributor",
    "Replicate",
    "Shard",
    "StridedShard",
    "distribute",
    "plan_redistribution",
    "redistribute",
]
