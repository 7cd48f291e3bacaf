# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.py.
from tenstride._tenstride import Tensor, _Int

def diagonal(
    input: Tensor, offset: _Int | None = None, dim1: _Int | None = None, dim2: _Int | None = None
) -> Tensor: ...
