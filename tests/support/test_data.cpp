// SPDX-License-Identifier: Apache-2.0
#include "support/test_data.hpp"

namespace tenstride::testing {

std::string test_data(const std::string& name) {
  return TENSTRIDE_TEST_DATA "/" + name;
}

}  // namespace tenstride::testing
