// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tenstride/expression/expression.hpp"

namespace tenstride::cli {

/// Lines that somebody types, or a pipe holds.
class LineReader {
 public:
  virtual ~LineReader() = default;
  /// Without its line end; nothing at the end of the input. A line given up by Ctrl-C is an empty one. A byte
  /// order mark at the input's beginning is left out.
  virtual std::optional<std::string> next(const std::string& prompt) = 0;
  /// Whether the last line was given up by Ctrl-C.
  [[nodiscard]] virtual bool is_given_up() const { return false; }
};

/// What some editors begin a file in UTF-8 with.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// What may stand at the end of an unfinished line.
using Completer = std::function<Completion(std::string_view)>;

/// At a terminal an editor with completion by the tabulator and a history that outlives the program, where
/// libedit is installed and the program was built with its header; else lines as they come, with prompts at a
/// terminal only.
std::unique_ptr<LineReader> make_line_reader(Completer completer);

/// Whether somebody sits there.
bool is_interactive();

}  // namespace tenstride::cli
