// SPDX-License-Identifier: Apache-2.0
#include "io/ends/fill_elements.hpp"

#include <algorithm>
#include <cstring>

namespace tenstride::io {

void fill_elements(std::span<std::byte> elements, std::span<const std::byte> element) {
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (elements.empty()) return;
  if (std::all_of(element.begin(), element.end(), is_zero)) {
    std::memset(elements.data(), 0, elements.size());
    return;
  }
  std::memcpy(elements.data(), element.data(), element.size());
  constexpr std::size_t max_run = std::size_t{1} << 14;  // stays in the first cache
  for (std::size_t filled = element.size(); filled < elements.size();) {
    const std::size_t run =
        std::min({filled, max_run / element.size() * element.size(), elements.size() - filled});
    std::memcpy(elements.data() + filled, elements.data(), run);
    filled += run;
  }
}

}  // namespace tenstride::io
