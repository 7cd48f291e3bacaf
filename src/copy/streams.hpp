// SPDX-License-Identifier: Apache-2.0
// How many places of memory a core goes on with at a time where it is fastest: a matter of the processor.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenstride::copy {

enum class Streams : std::uint8_t {
  several,  ///< four pages, or eight rows, line by line in turn
  one,      ///< page after page, row after row
};

/// What the vendor of a processor (its CPUID leaf 0) says: one for AMD's.
Streams streams(std::string_view vendor);

/// Those of this processor, or the ones that the environment variable TENSTRIDE_STREAMS names ("one",
/// "several"), read once.
Streams streams();

}  // namespace tenstride::copy
