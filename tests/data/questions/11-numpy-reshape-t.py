# SPDX-License-Identifier: Apache-2.0
# https://example-a.com/answer/77159139
# Why is reshape(a, b) something else than reshape(b, a).T?
# expect: view line 9
# expect: scramble line 10
import numpy as np

images = np.arange(8).reshape(2, 4)
columns = images.reshape(2, 4).T
other = images.reshape(4, 2)
print((columns == other).all(), columns.strides, other.strides)
