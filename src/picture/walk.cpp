// SPDX-License-Identifier: Apache-2.0
#include "picture/walk.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::detail {
namespace {

constexpr Index max_visits = 64;

}  // namespace

Walk walk_of(const Nest& nest) {
  Walk walk;
  std::vector<Index> extents;
  Index count = 1;
  for (const Loop& loop : nest.loops) {
    extents.push_back(loop.extent);
    count *= std::min(loop.extent, max_visits + 1);
  }
  while (count > max_visits) {
    const auto longest = std::max_element(extents.begin(), extents.end());
    walk.is_whole = false;
    *longest = std::min(*longest - 1, max_visits);
    count = 1;
    for (const Index extent : extents) count *= std::min(extent, max_visits + 1);
  }
  for (Index n = 0; n < count; ++n) {
    Visit visit{nest.dst_offset, nest.src_offset};
    Index rest = n;
    for (std::size_t i = nest.loops.size(); i-- > 0;) {
      visit.dst += rest % extents[i] * nest.loops[i].dst_stride;
      visit.src += rest % extents[i] * nest.loops[i].src_stride;
      rest /= extents[i];
    }
    walk.visits.push_back(visit);
  }
  if (nest.loops.empty()) walk.visits.clear();
  return walk;
}

std::string loops_text(std::string_view way, const Nest& nest) {
  std::string text = message(way, "; loops, outer to inner: ");
  for (std::size_t i = 0; i < nest.loops.size() && i < 6; ++i) {
    const Loop& loop = nest.loops[i];
    text += message(i == 0 ? "" : ", ", loop.extent, " (source ", loop.src_stride < 0 ? "−" : "+",
                    magnitude(loop.src_stride), ", destination ", loop.dst_stride < 0 ? "−" : "+",
                    magnitude(loop.dst_stride), ")");
  }
  return nest.loops.empty() ? std::string(way) : text;
}

std::string note_of(const CopyPlan& plan, const Nest& nest, const Walk& walk) {
  std::string note;
  const auto add = [&note](const std::string& words) { note += (note.empty() ? "" : "; ") + words; };
  if (!walk.is_whole) add("the first visits along each loop");
  if (nest.elements > 1) add(message(nest.elements, " elements move as one"));
  if (std::holds_alternative<Tiles>(plan.way) || std::holds_alternative<Channels>(plan.way))
    add("the order of the loops; neighbours on both sides go many at a time, through registers");
  return note;
}

namespace {

[[noreturn]] void refuse(const Picture& picture, std::string_view what) {
  throw ValueError(message("picture: ", what, picture.error.empty() ? "" : " (" + picture.error + ")"));
}

}  // namespace

void require_tensors(const Picture& picture) {
  if (picture.tensors.empty() && !picture.refusal)
    refuse(picture, "the expression must make a tensor to be drawn");
}

void require_chain(const Picture& picture) {
  if (picture.chains.size() < 2)
    refuse(picture, "the expression must end with layout operations to be drawn as a chain");
}

void require_copies(const Picture& picture) {
  if (picture.copies.empty()) refuse(picture, "the expression must copy by a plan to be drawn as a walk");
}

}  // namespace tenstride::detail
