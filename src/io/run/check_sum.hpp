// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/message.hpp"
#include "io/ends/operation.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// Throws FileError where `found`, the checksum of `what`, is not the one that the destination must have.
inline void check_sum(const FileJob& job, const Checksum& wanted, std::string_view what,
                      const Checksum& found) {
  if (found == wanted) return;
  throw FileError(
      tenstride::detail::message(this_operation, ": \"", job.destination, "\" must have the checksum ",
                                 to_string(wanted), ", ", what, " has ", to_string(found)),
      job.destination);
}

}  // namespace tenstride::io
