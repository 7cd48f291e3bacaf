// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/message.hpp"
#include "tenstride/error.hpp"

namespace tenstride::io {

/// Throws FileError: `operation: "path" pieces…`.
template <typename... Pieces>
[[noreturn]] void refuse_hdf5(std::string_view operation, std::string_view path, const Pieces&... pieces) {
  throw FileError(tenstride::detail::message(operation, ": \"", path, "\" ", pieces...), std::string(path));
}

}  // namespace tenstride::io
