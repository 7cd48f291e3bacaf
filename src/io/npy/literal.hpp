// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tenstride/base/dims.hpp"

namespace tenstride::io {

/// The three entries of a header's dictionary, as they stand there.
struct NpyDictionary {
  /// The type of the elements; of several fields the text of their list, in its brackets.
  std::string descr;
  bool fortran_order = false;
  Dims shape;
};

/// Reads the text of a header: the part of Python's literals that such a dictionary is made of, blanks
/// wherever Python allows them. No escapes, no other keys, no key twice; numbers may end in the L of
/// Python 2. Throws FileError that names the file and the column.
NpyDictionary parse_npy_dictionary(std::string_view text, std::string_view name);

}  // namespace tenstride::io
