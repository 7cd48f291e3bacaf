// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/base/dims.hpp"

namespace tenstride::io {

/// The shape of chunks that nobody chose: the largest axes halved until a chunk has at most 4 MiB. With a
/// shard each size divides that of the shard. Example: (10000,10000) of float32 gives (625,1250).
Dims default_chunk(const Dims& shape, Index item, const Dims& shard);

}  // namespace tenstride::io
