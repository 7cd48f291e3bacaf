// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tenstride/base/dtype.hpp"
#include "tenstride/plan/copy_way.hpp"

namespace tenstride::copy {

/// Carries out a small copy of a nest. The bases are the addresses of storage element 0 of each side. Pre: no
/// element of one side in memory of the other.
void copy_small(const Small& way, const Nest& nest, DType dst_type, std::byte* dst_base, DType src_type,
                const std::byte* src_base);

}  // namespace tenstride::copy
