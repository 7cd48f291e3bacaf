// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>

/// Text as a terminal can show it.
namespace tenstride::cli {

/// The text with its long lines broken at blanks, so that none is wider than `width` where its words allow
/// that. What follows stands under the line's last column, which two blanks separate from the one before;
/// under the text where there is but one column. Lines that a caret below points into are left alone. Escape
/// sequences have no width. Example, for 24: "1  x.T  copy: axes out of order" becomes "1  x.T  copy: axes
/// out" and "        of order".
std::string fold(std::string_view text, std::size_t width);

/// The same for standard output's terminal; the text itself where that is no terminal.
std::string fold_for_output(std::string text);

/// The text with ASCII in place of lines, arrows and dots; '?' for what has no likeness. Example: "┌─┐ …"
/// becomes
/// "+-+ ...".
std::string to_ascii(std::string_view text);

/// The number as `printf` writes it. Example: decimal(1.5, "%.3g") == "1.5".
std::string decimal(double value, const char* format = "%.2f");

/// Whether LC_ALL, LC_CTYPE or LANG, the first that is set, names UTF-8.
bool is_utf8_locale();

/// While it lives, standard output and standard error give ASCII where they are terminals of another locale.
class TerminalEncoding {
 public:
  TerminalEncoding();
  TerminalEncoding(const TerminalEncoding&) = delete;
  TerminalEncoding& operator=(const TerminalEncoding&) = delete;
  ~TerminalEncoding();

 private:
  std::unique_ptr<std::streambuf> output_;
  std::unique_ptr<std::streambuf> error_;
  std::streambuf* plain_output_ = nullptr;
  std::streambuf* plain_error_ = nullptr;
};

}  // namespace tenstride::cli
