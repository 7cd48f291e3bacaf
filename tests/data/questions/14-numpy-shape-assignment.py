# SPDX-License-Identifier: Apache-2.0
# https://github.com/numpy/numpy/pull/10072
# How can a copy by reshape be made an error? By the attribute shape.
# expect: view line 10
# expect: refused line 12
# expect: copy line 15
import numpy as np

a = np.zeros((10, 2))
b = a.T
try:
    b.shape = 20
except AttributeError as e:
    print("no view:", e)
c = b.reshape(20)
