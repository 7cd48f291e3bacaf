// SPDX-License-Identifier: Apache-2.0
// CTest runs the tests of the engine under each TENSTRIDE_KERNELS; this one sees that it is heard.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "copy/kernels/kernels.hpp"

namespace tenstride {
namespace {

TEST(ChosenKernels, AreTheOnesAskedForOrElseTheBest) {
  const char* const asked = std::getenv("TENSTRIDE_KERNELS");
  const auto tables = copy::available_kernels();
  const auto found = std::ranges::find_if(tables, [&](const copy::Kernels* table) {
    return asked != nullptr && std::string_view(asked) == table->name;
  });
  EXPECT_EQ(&copy::kernels(), found == tables.end() ? tables.front() : *found);
}

}  // namespace
}  // namespace tenstride
