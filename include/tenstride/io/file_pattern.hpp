// SPDX-License-Identifier: Apache-2.0
// Many files by one name: a pattern as shells have it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/export.hpp"

namespace tenstride::io {

/// Whether a text has one of the signs `*`, `?` and `[` by which shells mean several files, and is not itself
/// the name of a file.
TENSTRIDE_API bool is_file_pattern(const std::string& text);

/// The files and folders whose paths fit a pattern of POSIX glob, numbers in names in the order of their
/// values. Names that begin with a dot are meant only by a pattern that does. Throws FileError where there
/// are none, or where a folder cannot be read. Example: of "t*.tif" `{"t1.tif", "t2.tif", "t10.tif"}`.
TENSTRIDE_API std::vector<std::string> files_of_pattern(const std::string& pattern,
                                                        std::string_view operation = "info");

/// What lies in a folder, in the same order, without what begins with a dot.
TENSTRIDE_API std::vector<std::string> files_in_folder(const std::string& folder,
                                                       std::string_view operation = "info");

/// Whether a name comes before another: numbers by their values, other characters by their bytes.
/// Example: `comes_before("t9.tif", "t10.tif")`.
TENSTRIDE_API bool comes_before(std::string_view a, std::string_view b);

}  // namespace tenstride::io
