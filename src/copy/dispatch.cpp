// SPDX-License-Identifier: Apache-2.0
#include "copy/kernels.hpp"

namespace tenstride::copy {

std::span<const Kernels* const> available_kernels() {
  static const std::array<const Kernels*, 1> tables{&portable_kernels()};
  return tables;
}

const Kernels& kernels() {
  static const Kernels& best = *available_kernels().front();
  return best;
}

}  // namespace tenstride::copy
