// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "expression/tree.hpp"

namespace tenstride::detail {

/// Lists can nest once per statement: `x = [x]`. This many bytes hold no more than the stack does.
inline constexpr std::size_t max_text = std::size_t{1} << 16;

/// The statements of the program that begins there in the text; ranges are those of the text. Throws
/// ParseError, also for a text of more than `max_text` bytes.
std::vector<Statement> parse_statements(std::string_view text, std::size_t begin = 0);

}  // namespace tenstride::detail
