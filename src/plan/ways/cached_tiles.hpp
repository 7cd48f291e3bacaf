// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/nest.hpp"
#include "tenstride/plan/copy_way.hpp"

namespace tenstride::detail {

/// Sets `way` to how a nest is copied within the caches. Returns false where the destination has no rows, and
/// where kernels for larger copies are faster. Pre: items are not converted.
bool find_cached_tiles(const Nest& nest, CachedTiles& way);

}  // namespace tenstride::detail
