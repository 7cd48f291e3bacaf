// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/base/index.hpp"

namespace tenstride::cli {

/// Seconds of a clock that never goes back.
double now();
/// Bytes read and written per second by memcpy, in 10^9.
double measure_memcpy(Index bytes);

}  // namespace tenstride::cli
