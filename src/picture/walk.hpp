// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "picture/shown.hpp"

/// The order in which a plan visits elements.
namespace tenstride::detail {

inline constexpr std::size_t max_copies_drawn = 4;

struct Visit {
  Index dst = 0;
  Index src = 0;
};

/// What is visited; of large copies the first visits along each loop, so that all loops are seen.
struct Walk {
  std::vector<Visit> visits;
  bool is_whole = true;
};
/// Pre: strides and offsets in elements.
Walk walk_of(const Nest& nest);

/// "tiles; loops, outer to inner: 4 (source +1, destination +3), …".
std::string loops_text(std::string_view way, const Nest& nest);

/// What the walk does not show: what was left out, and what goes at a time; mostly empty.
std::string note_of(const CopyPlan& plan, const Nest& nest, const Walk& walk);

/// Throw ValueError where there is nothing of the kind to draw.
void require_tensors(const Picture& picture);
void require_chain(const Picture& picture);
void require_copies(const Picture& picture);

}  // namespace tenstride::detail
