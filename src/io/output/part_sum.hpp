// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tenstride/checksum/checksum.hpp"

namespace tenstride::io {

/// What is known of the elements of a part, and adds up to that of the whole output.
struct PartSum {
  PartSum(const Checksum& of_elements = {}, std::uint64_t missing_elements = 0)
      : checksum(of_elements), missing(missing_elements) {}

  Checksum checksum;
  /// Elements that are missing by what the source says.
  std::uint64_t missing = 0;

  PartSum& operator+=(const PartSum& other) noexcept {
    checksum += other.checksum;
    missing += other.missing;
    return *this;
  }
};

}  // namespace tenstride::io
