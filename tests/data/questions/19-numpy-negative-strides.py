# SPDX-License-Identifier: Apache-2.0
# https://github.com/pytorch/pytorch/issues/92680
# torch.from_numpy refuses a flipped array: which array does it take?
# expect: view line 11
# expect: refused line 13
# expect: copy line 16
# expect: view line 16
import numpy as np
import torch

mirrored = np.flip(np.array([2.0, 3.0, 5.0]))
try:
    tensor = torch.from_numpy(mirrored)
except ValueError as error:
    print(type(error).__name__)
tensor = torch.from_numpy(mirrored.copy())
