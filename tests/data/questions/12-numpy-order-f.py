# SPDX-License-Identifier: Apache-2.0
# https://wiki.gubat.org/content/stackoverflow.com_en_all_2023-11/questions/74746903/efficient-way-to-reorder-a-1d-array-as-if-it-were-columns-first
# Is there a way to read a flat array by columns that makes no copy?
# expect: view line 10
# expect: copy line 11
# expect: view line 12
import numpy as np

line = np.arange(12)
grid = line.reshape(3, 4, order='F')
by_rows = grid.ravel()
by_columns = grid.ravel(order='F')
print(np.shares_memory(by_rows, line), np.shares_memory(by_columns, line))
