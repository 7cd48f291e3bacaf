// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tenstride/base/dims.hpp"

namespace tenstride::io {

/// The shape of chunks that nobody chose: the largest axes halved until a chunk has at most 4 MiB. With a
/// shard each size divides that of the shard. Example: (10000,10000) of float32 gives (625,1250).
Dims default_chunk(const Dims& shape, Index item, const Dims& shard);

/// Extents of boxes of about 4 MiB that have all of the last axes, so that their elements lie in one place;
/// of the last `whole_axes` in any case. Example: (1000,1000,8) of float32 gives (131,1000,8).
Dims last_axes_chunk(const Dims& shape, Index item, std::size_t whole_axes = 0);

}  // namespace tenstride::io
