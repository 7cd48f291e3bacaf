// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/export.hpp"

namespace tenstride {

/// Whether every value of one type is a value of the other, so that a conversion loses nothing. Example:
/// `is_exact(DType::int16, DType::float32)`, but not `is_exact(DType::int32, DType::float32)`.
TENSTRIDE_API bool is_exact(DType from, DType to);

}  // namespace tenstride
