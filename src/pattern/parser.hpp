// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenstride/pattern/pattern.hpp"

/// The words and brackets of one side of a pattern.
namespace tenstride::detail {

enum class PatternTokenKind : unsigned char { name, number, underscore, ellipsis, open, close };

struct PatternToken {
  PatternTokenKind kind;
  std::size_t position;
  std::string_view text;
  Index number = 0;
};

/// Where in which text of which operation something is wrong.
struct PatternPlace {
  std::string_view operation;
  std::string_view text;
};

/// Throws PatternError: "rearrange: "b (h w" <what>", and the pattern with a caret under the position.
[[noreturn]] void refuse_pattern(const PatternPlace& place, std::size_t position, const std::string& what);
/// The text of it.
std::string pattern_message(const PatternPlace& place, std::size_t position, const std::string& what);
/// " at column 3", counted in characters from 1.
std::string at_column(std::string_view text, std::size_t position);

/// What text_[begin, end) is made of. Throws PatternError for what is no word of the notation, for brackets
/// that do not match, and for a second "...".
std::vector<PatternToken> tokens(const PatternPlace& place, std::size_t begin, std::size_t end);

/// Whether einops takes it as an axis' name.
bool is_axis_name(std::string_view word);

}  // namespace tenstride::detail
