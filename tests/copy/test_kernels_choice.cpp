// SPDX-License-Identifier: Apache-2.0
// CTest runs the tests of the engine with each value of TENSTRIDE_KERNELS; this test checks that the value
// has an effect.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "copy/kernels/kernels.hpp"

namespace tenstride {
namespace {

TEST(ChosenKernels, AreTheRequestedOnesOrElseTheBest) {
  const char* const requested = std::getenv("TENSTRIDE_KERNELS");
  const auto tables = copy::available_kernels();
  const auto found = std::ranges::find_if(tables, [&](const copy::Kernels* table) {
    return requested != nullptr && std::string_view(requested) == table->name;
  });
  EXPECT_EQ(&copy::kernels(), found == tables.end() ? tables.front() : *found);
}

}  // namespace
}  // namespace tenstride
