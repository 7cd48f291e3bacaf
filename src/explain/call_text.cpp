// SPDX-License-Identifier: Apache-2.0
#include "explain/call_text.hpp"

#include <algorithm>

namespace tenstride::detail {

std::string call_text(std::string_view expression, TextRange range) {
  std::string text(expression.substr(range.begin, range.end - range.begin));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

}  // namespace tenstride::detail
