// SPDX-License-Identifier: Apache-2.0
#include "replay/format.hpp"

#include <array>

namespace replay {

std::span<const Format* const> formats() {
  static const std::array<const Format*, 3> all{&torch_format(), &numpy_format(), &einops_format()};
  return all;
}

}  // namespace replay
