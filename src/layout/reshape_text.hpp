// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/export.hpp"
#include "tenstride/layout/reshape.hpp"

/// The parts that the error of a refused view and its explanation are made of.
namespace tenstride::detail {

struct FixLine {
  std::string code;
  std::string price;
};

inline constexpr std::string_view free_but_reordered = "no copy, another element order";

/// "copies 12 elements (48 B)"; without the bytes where they do not fit or `item_size` is 0.
TENSTRIDE_API std::string price(Index count, std::size_t item_size);

/// From and to, the axes and numbers, where the elements lie, the groups; ends with a line end.
TENSTRIDE_API std::string obstacle_lines(const ViewObstacle& obstacle);

/// `.reshape` and `.contiguous().view`.
std::vector<FixLine> copying_fix_lines(const ViewObstacle& obstacle, std::size_t item_size);

/// The order of the axes that sorts them by stride, the largest first; nothing where they are sorted.
TENSTRIDE_API std::optional<Dims> memory_order(const Layout& layout);

/// "  fixes: …", a line for each, without a line end behind the last.
TENSTRIDE_API std::string to_text(const std::vector<FixLine>& fixes);

/// A line, with a line end in front, where the refused view would have been a scramble; else nothing.
TENSTRIDE_API std::string scramble_note(const ViewObstacle& obstacle);

}  // namespace tenstride::detail
