# SPDX-License-Identifier: Apache-2.0
# https://github.com/numpy/numpy/issues/5918
# A column of a Fortran array: which flags does the slice keep?
# expect: copy line 10
# expect: view line 11
# expect: view line 12
import numpy as np

plain = np.array([[5, 6, 7], [8, 9, 10]], dtype=np.int16)
fortran = np.asfortranarray(plain)
column = fortran[:, 2, np.newaxis]
rows: np.ndarray = fortran[:1]
for name, part in {"all": fortran, "column": column, "row": rows}.items():
    print(name, part.flags.c_contiguous, part.flags.f_contiguous, part.strides)
