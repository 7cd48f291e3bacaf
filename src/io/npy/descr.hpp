// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tenstride/io/npy.hpp"

namespace tenstride::io {

struct NpyElement {
  DType dtype = DType::float32;
  ByteOrder byte_order = ByteOrder::native;
  /// "datetime64[ns]" of dates, "timedelta64[s]" of spans of time, which are read as int64.
  std::string numpy_dtype{};
  /// Why the elements are no numbers of a known type, as the end of "must …"; empty where they are.
  std::string obstacle{};
};

/// The element type of a descr such as "<f4". That of structures is a list: "[('a', '<f4')]".
NpyElement parse_npy_descr(std::string_view descr);

/// The descr that NumPy writes on this machine: "<f4", "|u1"; nothing for types NumPy does not have.
std::optional<std::string> npy_descr(DType dtype);

}  // namespace tenstride::io
