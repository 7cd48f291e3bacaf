// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/message.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {

/// What stands behind a version that is not read. 2 is HDF5 1.10.
inline constexpr std::string_view hdf5_rewriting =
    "; where a newer HDF5 wrote it, that one's `h5repack --low=0 --high=2 OLD NEW` rewrites it for HDF5 1.10";

/// Throws FileError: `operation: "path" pieces…`.
template <typename... Pieces>
[[noreturn]] void refuse_hdf5(std::string_view operation, std::string_view path, const Pieces&... pieces) {
  throw FileError(tenstride::detail::message(operation, ": \"", path, "\" ", pieces...), std::string(path));
}

}  // namespace tenstride::io
