// SPDX-License-Identifier: Apache-2.0
// Copies so small that planning them, or setting up a worker with its buffers, would cost more than they do.
#pragma once

#include <cstddef>

#include "tenstride/copy_plan.hpp"

namespace tenstride::copy {

/// Writes each element of src into dst, converted, straight from the two layouts; no plan, no heap. False,
/// and nothing is written, where there are too many elements or axes: then `plan` and `run` are to do it.
/// Pre: equal shapes, and no element of one side in memory of the other.
bool copy_small(const Layout& dst, DType dst_type, std::byte* dst_base, const Layout& src, DType src_type,
                const std::byte* src_base);

}  // namespace tenstride::copy
