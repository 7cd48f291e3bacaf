# SPDX-License-Identifier: Apache-2.0
# https://github.com/numpy/numpy/issues/12318
# Why does writing into what ravel('F') gives not change the array?
# expect: copy line 10
# expect: copy line 14
# expect: view line 14
import numpy as np

board = np.zeros((4, 5))
columns = board.ravel('F')
columns[:3] = -1
assert board.min() == 0

in_place = np.asfortranarray(board).ravel('F')
