# SPDX-License-Identifier: Apache-2.0
# https://github.com/cupy/cupy/issues/4825
# Overlapping windows by as_strided: how large is the array, and how much memory is there?
# expect: view line 15
# expect: view line 19
# expect: copy line 20
import numpy as np


def windows(signal, length, hop=1, module=np):
    """Each window is a row; the rows overlap."""
    *outer, n = signal.shape
    *outer_steps, step = signal.strides
    sizes = (*outer, 1 + (n - length) // hop, length)
    return module.lib.stride_tricks.as_strided(signal, sizes, (*outer_steps, hop * step, step))


parts = windows(np.ones((1, 2, 500)), 50, hop=25)
table = parts[0, 1].reshape(-1, 50)
flat = table.reshape(-1)
print(parts.nbytes, table.base is not None, flat.size)
