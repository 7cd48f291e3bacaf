// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tenstride/io/file.hpp"

namespace tenstride::cli {

/// The options that say how the elements of a file without a header lie.
struct RawOptions {
  /// "480,640"; empty: the input has a header.
  std::string shape;
  std::string dtype;
  /// "C" or "F".
  std::string order;
  /// Bytes before the first element: "512", "4K".
  std::string offset;
  bool is_byte_swapped = false;
};

/// "480,640", also "(480,640)" and "480x640". Throws UsageError that begins with the option.
Dims parse_shape(const std::string& option, const std::string& text);

/// The tensors that an input names, "FILE" or "FILE::NAME" (* and ? stand for other characters); FILE may be
/// a pipe or -, standard input. Errors begin with `command`. Throws UsageError, FileError.
std::vector<io::FileInfo> input_infos(const std::string& given, const RawOptions& raw,
                                      const std::string& command);

/// The one tensor that is named.
io::FileInfo input_info(const std::string& given, const RawOptions& raw, const std::string& command);

}  // namespace tenstride::cli
