// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/slow.hpp"
#include "tenstride/layout/coalesce.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/layout/reshape.hpp"
#include "tenstride/layout/views.hpp"

// The same functions at compile time: each law is one function, checked by static_assert and run as a test.
// The layouts are row-major ones of several shapes, permuted, sliced, expanded and flipped.
namespace tenstride {
namespace {

using testing::for_each_index;
using testing::positions;
using testing::slow_position;

template <typename Law>
constexpr bool holds_for_all(Law&& law) {
  for (const Dims& shape : {Dims{}, Dims{4}, Dims{2, 3}, Dims{3, 1, 2}, Dims{2, 0}, Dims{1, 2, 2}}) {
    const Layout x = row_major(shape);
    if (!law(x) || !law(reverse_axes(x))) return false;
    if (shape.empty()) continue;
    if (!law(slice(x, 0, 1, {}, 2)) || !law(flip_view(x, {-1})) || !law(unsqueeze(x, 1))) return false;
    if (!law(select(unfold(x, -1, shape.back() / 2, 1), 0, 0)) && shape[0] > 0) return false;
    Dims wide = shape;
    wide.insert(0, 3);
    if (!law(expand(x, wide))) return false;
  }
  return true;
}

constexpr bool positions_and_indexes_are_inverse(const Layout& x) {
  bool agrees = true;
  Index n = 0;
  for_each_index(x.shape, [&](const Dims& index) {
    const Index p = position(x, index);
    agrees = agrees && p == slow_position(x, index) && position(x, *index_at(x, p)) == p;
    agrees = agrees && unravel(n++, x.shape) == index;
  });
  return agrees && n == numel(x) && !index_at(x, 1000);
}

constexpr bool reach_bounds_all_positions(const Layout& x) {
  const std::vector<Index> visited = positions(x);
  const std::optional<Reach> touched = reach(x);
  if (visited.empty()) return !touched;
  return touched->lowest == *std::min_element(visited.begin(), visited.end()) &&
         touched->highest == *std::max_element(visited.begin(), visited.end());
}

constexpr bool views_keep_positions(const Layout& x) {
  if (is_empty(x)) return true;
  const std::vector<Index> visited = positions(x);
  if (positions(squeeze(x)) != visited || positions(coalesce(x)) != visited) return false;
  if (positions(*try_view(x, x.shape)) != visited) return false;
  const std::optional<Layout> flat = try_view(x, {numel(x)});
  if (!flat) return why_not_view(x, {numel(x)})->stride_found != why_not_view(x, {numel(x)})->stride_needed;
  return positions(*flat) == visited && !why_not_view(x, {numel(x)});
}

constexpr bool opposite_views_cancel(const Layout& x) {
  if (view_as_complex(view_as_real(x)) != x || reverse_axes(reverse_axes(x)) != x) return false;
  if (squeeze(unsqueeze(x, 0), 0) != x) return false;
  if (x.rank() == 0) return true;
  const Layout moved = movedim(x, {0}, {-1});
  if (flip_view(flip_view(x, {0}), {0}) != x || transpose(transpose(x, 0, -1), 0, -1) != x) return false;
  return movedim(moved, {-1}, {0}) == x;
}

constexpr bool contiguity_is_a_run(const Layout& x) {
  const std::vector<Index> visited = positions(x);
  bool is_run = true;
  for (std::size_t n = 0; n < visited.size(); ++n) {
    is_run = is_run && visited[n] == visited[0] + static_cast<Index>(n);
  }
  if (is_contiguous(x) != is_run) return false;
  if (is_run && !is_non_overlapping_and_dense(x)) return false;
  return overlap(x, x) == (visited.empty() ? Overlap::none : Overlap::identical);
}

static_assert(holds_for_all(positions_and_indexes_are_inverse));
static_assert(holds_for_all(reach_bounds_all_positions));
static_assert(holds_for_all(views_keep_positions));
static_assert(holds_for_all(opposite_views_cancel));
static_assert(holds_for_all(contiguity_is_a_run));

// More axes than fit without a heap are constant expressions too.
constexpr bool takes_many_axes() {
  Dims shape = Dims::filled(10, 1);
  shape[3] = 2;
  shape[7] = 3;
  const Layout x = row_major(shape);
  return squeeze(x) == row_major({2, 3}) && view(x, {-1}) == row_major({6}) &&
         reverse_axes(reverse_axes(x)) == x;
}
static_assert(takes_many_axes());

TEST(Constexpr, LawsHoldAtRunTimeToo) {
  EXPECT_TRUE(holds_for_all(positions_and_indexes_are_inverse));
  EXPECT_TRUE(holds_for_all(reach_bounds_all_positions));
  EXPECT_TRUE(holds_for_all(views_keep_positions));
  EXPECT_TRUE(holds_for_all(opposite_views_cancel));
  EXPECT_TRUE(holds_for_all(contiguity_is_a_run));
  EXPECT_TRUE(takes_many_axes());
}

}  // namespace
}  // namespace tenstride
