// SPDX-License-Identifier: Apache-2.0
// What the processor says of itself, for choices that are a matter of the processor.
#pragma once

#include <array>
#include <string_view>

namespace tenstride::copy {

/// Of a processor without CPUID nothing is known: an empty vendor, family and model 0.
struct Processor {
  std::array<char, 12> name{};
  unsigned family = 0;
  unsigned model = 0;

  [[nodiscard]] std::string_view vendor() const { return {name.data(), name.size()}; }
};

Processor this_processor();

}  // namespace tenstride::copy
