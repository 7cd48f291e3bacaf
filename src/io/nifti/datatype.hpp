// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride::io {

/// What a code of NIfTI's field `datatype` means.
struct NiftiElement {
  DType dtype = DType::float32;
  /// Numbers of one voxel: 3 of RGB24, 4 of RGBA32, which stand side by side. 0 where a voxel is one number.
  Index colors = 0;
};

/// Throws FileError for a code that NIfTI does not have, and for types without a counterpart here.
NiftiElement parse_nifti_datatype(std::int64_t code, std::string_view name);

/// The code of an element type; nothing where NIfTI lacks the type. Example: 16 for float32.
std::optional<std::int16_t> nifti_datatype(DType dtype);

inline constexpr std::int16_t nifti_rgb24 = 128;
inline constexpr std::int16_t nifti_rgba32 = 2304;

}  // namespace tenstride::io
