// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/format/flat_file.hpp"

namespace tenstride::io {

/// `__metadata__` of a new file: the texts among the attributes of its tensors, the first of a name.
std::vector<std::pair<std::string, std::string>> common_metadata(const std::vector<NewTensor>& tensors);

}  // namespace tenstride::io
