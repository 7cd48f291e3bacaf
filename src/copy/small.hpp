// SPDX-License-Identifier: Apache-2.0
// Copies so small that a plan, or a worker with its buffers, would take longer than the copy.
#pragma once

#include <cstddef>

#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::copy {

/// Copies each element of src to dst, converted, directly from the two layouts: no plan, no heap. Returns
/// false, with nothing written, where there are too many elements or axes; `plan` and `run` then have to be
/// used. Pre: equal shapes, and no element of one side in memory of the other.
bool copy_small(const Layout& dst, DType dst_type, std::byte* dst_base, const Layout& src, DType src_type,
                const std::byte* src_base);

}  // namespace tenstride::copy
