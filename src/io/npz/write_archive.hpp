// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenstride/io/save.hpp"

namespace tenstride::io {

/// Writes an archive of .npy files as numpy.savez (or, compressed, numpy.savez_compressed) does. The elements
/// of members that are not compressed begin at a multiple of 64 bytes, so that they can be mapped.
void save_npz(const std::string& path, const std::vector<NamedTensor>& tensors,
              const SaveTensorsOptions& options, std::string_view operation);

}  // namespace tenstride::io
