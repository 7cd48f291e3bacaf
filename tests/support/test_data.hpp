// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tenstride::testing {

/// The path of a file of tests/data.
std::string test_data(const std::string& name);

}  // namespace tenstride::testing
