// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tenstride/layout.hpp"

namespace tenstride::copy {

/// Few elements to many places, by ordinary stores: one element along a run (a fill, an expanded column) or
/// short rows again and again. False where the layouts are neither; nothing was written then.
/// Pre: equal shapes; items of `item` bytes; no element of dst lies in the source.
bool copy_repeated(const Layout& dst, std::byte* dst_bytes, const Layout& src, const std::byte* src_bytes,
                   std::size_t item);

}  // namespace tenstride::copy
