// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/message.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {

/// Throws FileError: `zarr: "path" pieces…`.
template <typename... Pieces>
[[noreturn]] void refuse_zarr(std::string_view path, const Pieces&... pieces) {
  throw FileError(tenstride::detail::message("zarr: \"", path, "\" ", pieces...), std::string(path));
}

}  // namespace tenstride::io
