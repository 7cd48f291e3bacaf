// SPDX-License-Identifier: Apache-2.0
// Which stores take what is written in order to memory faster: a matter of the processor.
#pragma once

#include <cstdint>
#include <string_view>

#include "copy/kernels.hpp"

namespace tenstride::copy {

/// What the vendor, family and model of a processor (its CPUID leaves 0 and 1) say. Streaming stores, but for
/// Skylake-SP, Cascade Lake and Cooper Lake, whose cores write faster through the cache.
Stores stores_in_order(std::string_view vendor, unsigned family, unsigned model);

/// Those of this processor, or the ones that the environment variable TENSTRIDE_STORES names ("ordinary",
/// "streaming"), read once.
Stores stores_in_order();

}  // namespace tenstride::copy
