// SPDX-License-Identifier: Apache-2.0
// What `info` says of one tensor and of many files.
#pragma once

#include <string>
#include <vector>

#include "cli.hpp"
#include "json.hpp"
#include "tenstride/io/file.hpp"

namespace tenstride::cli {

/// Bytes of the elements; 0 of what cannot be read.
Index nbytes_of(const io::FileInfo& info);
/// "-" of what cannot be read, of which neither type nor bytes are known.
std::string dtype_text(const io::FileInfo& info);
std::string size_text(const io::FileInfo& info);
Json to_json(const io::FileInfo& info, const std::string& given, bool shows_checksum);

/// The tensors of a file, all of them where none is named.
std::vector<io::FileInfo> all_tensors(const std::string& given, const InfoCommand& command);

/// Whether several files are given, or a pattern, or a folder that is not itself an array.
bool means_several_files(const InfoCommand& command);
/// A table with a line for each file. In a folder, files of no known kind are only counted. Gives 1 where a
/// file could not be read.
int run_on_files(const InfoCommand& command);

}  // namespace tenstride::cli
