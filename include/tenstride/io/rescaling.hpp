// SPDX-License-Identifier: Apache-2.0
// What stored elements mean, by the CF conventions (2.5.1 missing data, 8.1 packed data).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/base/scalar.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::io {

/// How the stored elements of a tensor become what its file says they mean. What is missing is told by
/// elements as they are stored, before they are scaled.
struct Rescaling {
  /// The address of the tensor, for messages.
  std::string address{};
  /// The type that stored bits are read as: the unsigned one of the same size where `_Unsigned` says so.
  DType stored = DType::float32;
  double scale = 1;
  double shift = 0;
  /// Elements of `stored` that stand for missing ones (`_FillValue`, `missing_value`).
  std::vector<Scalar> missing{};
  /// Elements of `stored` outside are missing, too (`valid_range`, or `valid_min` and `valid_max`).
  std::optional<Scalar> lowest{};
  std::optional<Scalar> highest{};
  /// The type of the result, and what a missing element is in it: NaN, of integers a number that no other
  /// element becomes where there is one.
  DType dtype = DType::float32;
  Scalar fill{};
  /// What the file says and is not used: "valid_range [0.5,2.5] is not used: it must be of int16".
  std::vector<std::string> notes{};

  [[nodiscard]] bool is_scaled() const { return scale != 1 || shift != 0; }
  [[nodiscard]] bool has_missing() const { return !missing.empty() || lowest || highest; }
  /// Whether an element, of the type `stored`, stands for a missing one.
  [[nodiscard]] TENSTRIDE_API bool is_missing(const Scalar& element) const;
};

/// What the attributes of the file say, for a result of `dtype`. Throws ValueError where scaling or missing
/// elements are said by anything but numbers, and where a bool would have to be missing.
TENSTRIDE_API Rescaling rescaling_of(const FileInfo& info, DType dtype, std::string_view operation);

/// Writes what the elements of `src` mean into `dst`, of the same shape; gives how many are missing. With
/// missing elements it goes through parts of 2^18 elements, for which it takes as many bytes a few times.
/// Throws FileError where an element that is not missing becomes the fill value of an integer type.
/// Example: of int16 -999, 20 with scale 0.5 and -999 missing, float32 NaN, 10; it gives 1.
TENSTRIDE_API Index rescale_elements(Tensor& dst, const Tensor& src, const Rescaling& rescaling,
                                     std::string_view operation);

/// Which stored elements are missing: "-999, below 0, above 250".
TENSTRIDE_API std::string missing_text(const Rescaling& rescaling);

}  // namespace tenstride::io
