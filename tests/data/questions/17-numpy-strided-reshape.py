# SPDX-License-Identifier: Apache-2.0
# https://github.com/dwavesystems/dwave-optimization/issues/16
# Which reshape of every other row and every third column makes a copy?
# expect: view line 9
# expect: copy line 10
# expect: view line 11
import numpy as np

picked = np.arange(54).reshape(6, 9)[::2, ::3]
everything = picked.reshape(-1)
one_column = picked[:, :1].reshape(-1)
print(everything.base is not None, one_column.strides)
