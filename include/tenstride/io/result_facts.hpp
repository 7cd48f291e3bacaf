// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenstride/export.hpp"
#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// What a file says about a tensor, as it holds for what a chain makes of it.
struct ResultFacts {
  /// One for each axis, "" for an axis that is none of the source's; or none.
  std::vector<std::string> axis_names;
  /// A JSON object, or empty.
  std::string attributes;
};

/// Names and attributes go along with their axes. Example: of axes time, lat, lon and `x.permute(1, 2, 0)`
/// the names are lat, lon, time. Nothing is said of a chain that fails. Attributes of other kinds of files
/// are left out where those of `destination` are fields of its header (NIfTI).
TENSTRIDE_API ResultFacts facts_of_result(const FileInfo& source, std::string_view chain,
                                          FileKind destination);

}  // namespace tenstride::io
