// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "layout/scramble_sizes.hpp"

/// The rule of find_scramble.
namespace tenstride {
namespace {

using detail::boundaries_of;
using detail::nest;
using detail::without_ones;
using Boundaries = std::vector<Index>;

/// Two neighbouring blocks exchanged: `before`, `left`, `right` and a remainder become `before`, `right`,
/// `left` and the remainder. Each number counts what its block holds.
struct Swap {
  Index before;
  Index left;
  Index right;
  [[nodiscard]] Index between() const { return before * left; }
  [[nodiscard]] Index between_after() const { return before * right; }
  [[nodiscard]] Index end() const { return before * left * right; }
};

/// A swap with what it takes; the least of these is the likeliest.
struct Candidate {
  /// Ends of the two blocks that are no boundary of the old sizes, and of the new ones.
  Index assumed;
  /// Whole axes that move, negated.
  Index run;
  Swap swap;
  /// The old sizes, split and merged so that whole axes make the swap.
  Dims split;
};

bool contains(const Boundaries& boundaries, Index boundary) {
  return std::find(boundaries.begin(), boundaries.end(), boundary) != boundaries.end();
}

bool includes(const Boundaries& all, const Boundaries& part) {
  return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

Boundaries joined(Boundaries left, const Boundaries& right) {
  left.insert(left.end(), right.begin(), right.end());
  std::sort(left.begin(), left.end());
  left.erase(std::unique(left.begin(), left.end()), left.end());
  return left;
}

/// Where a boundary of the new sizes stood before the swap.
Index boundary_before(const Swap& swap, Index boundary) {
  if (boundary <= swap.before || boundary >= swap.end()) return boundary;
  return boundary < swap.between_after() ? boundary * swap.left : boundary / swap.right;
}

/// The sizes that moves of whole axes can begin with, or nothing where the old ones do not come to them.
std::optional<Dims> split_for(const Swap& swap, const Boundaries& old, const Boundaries& made) {
  const Boundaries ends_after = joined(made, {swap.before, swap.between_after(), swap.end()});
  if (!nest(ends_after)) return std::nullopt;
  Boundaries cuts{1, swap.before, swap.between(), swap.end()};
  for (const Index boundary : made) cuts.push_back(boundary_before(swap, boundary));
  cuts = joined(std::move(cuts), {});
  // Axes are only split or only merged before they move: of 5,134 reshapes of models, 25 looked otherwise
  // like scrambles that do both, and none was one.
  if (!includes(old, cuts) && !(includes(cuts, old) && nest(cuts))) return std::nullopt;
  Dims split;
  for (std::size_t i = 1; i < cuts.size(); ++i) split.push_back(cuts[i] / cuts[i - 1]);
  return split;
}

/// The swap by which a run of whole axes that begins at old boundary `was` and holds `run` comes to `now`.
std::optional<Swap> swap_of(Index was, Index now, Index run, const Boundaries& old, const Boundaries& made) {
  const Index before = std::min(was, now);
  const Index other = std::max(was, now) / before;
  if (std::max(was, now) % before != 0 || other == 1 || other == run) return std::nullopt;
  const Swap swap = was < now ? Swap{before, run, other} : Swap{before, other, run};
  // A boundary that both sizes have is kept: nothing needs to have crossed it.
  if (contains(made, swap.between()) || contains(old, swap.between_after())) return std::nullopt;
  return swap;
}

std::optional<Candidate> likeliest_swap(const Dims& from, const Dims& to) {
  const Boundaries old = boundaries_of(from);
  const Boundaries made = boundaries_of(to);
  if (includes(old, made) || includes(made, old)) return std::nullopt;  // axes are only merged, or only split
  std::optional<Candidate> best;
  for (std::size_t first = 0; first < from.size(); ++first) {
    for (std::size_t start = 0; start < to.size(); ++start) {
      for (std::size_t n = 0;
           first + n < from.size() && start + n < to.size() && from[first + n] == to[start + n]; ++n) {
        const Index run = old[first + n + 1] / old[first];
        const std::optional<Swap> swap = swap_of(old[first], made[start], run, old, made);
        if (!swap) continue;
        std::optional<Dims> split = split_for(*swap, old, made);
        if (!split) continue;
        Index assumed = 0;
        for (const Index end : {swap->before, swap->end()}) {
          assumed += (contains(old, end) ? 0 : 1) + (contains(made, end) ? 0 : 1);
        }
        Candidate candidate{assumed, -static_cast<Index>(n), *swap, *std::move(split)};
        const auto rank = [](const Candidate& one) {
          return std::tuple(one.assumed, one.run, one.swap.before, one.swap.left, one.swap.right);
        };
        if (!best || rank(candidate) < rank(*best)) best = std::move(candidate);
      }
    }
  }
  return best;
}

/// The order of the split axes in which the two blocks are exchanged.
Dims order_of(const Swap& swap, const Dims& split) {
  const Boundaries boundaries = boundaries_of(split);
  const auto at = [&](Index boundary) {
    return std::find(boundaries.begin(), boundaries.end(), boundary) - boundaries.begin();
  };
  Dims order;
  const auto give = [&](Index first, Index last) {
    for (; first < last; ++first) order.push_back(first);
  };
  const Index left = at(swap.before);
  const Index right = at(swap.between());
  give(0, left);
  give(right, at(swap.end()));
  give(left, right);
  give(at(swap.end()), static_cast<Index>(split.size()));
  return order;
}

/// The old axes that have the new sizes, axes of equal size in their order; nothing where there are none.
std::optional<Dims> reorder_of(const Dims& from, const Dims& to) {
  Dims order;
  for (const Index size : to) {
    Index axis = 0;
    const auto rank = static_cast<Index>(from.size());
    while (axis < rank && (from[static_cast<std::size_t>(axis)] != size ||
                           std::find(order.begin(), order.end(), axis) != order.end())) {
      ++axis;
    }
    if (axis == rank) return std::nullopt;
    order.push_back(axis);
  }
  return from.size() == to.size() ? std::optional(order) : std::nullopt;
}

/// The axes of some sizes, and -1 for each axis of size 1 that other sizes of as many elements have there.
Dims among_ones(const Dims& sizes, const Dims& other) {
  const Boundaries starts = boundaries_of(sizes);
  Dims result;
  std::size_t axis = 0;
  Index start = 1;
  for (const Index size : other) {
    if (size == 1) {
      while (axis < sizes.size() && starts[axis] < start) result.push_back(static_cast<Index>(axis++));
      result.push_back(-1);
    }
    start *= size;
  }
  while (axis < sizes.size()) result.push_back(static_cast<Index>(axis++));
  return result;
}

/// Gives the split and the order the source's axes of size 1: each where `to` has one, the rest at the end.
void add_ones(Scramble& scramble) {
  const Dims axes = among_ones(scramble.split, scramble.from);
  Dims split;
  Dims ones;
  Dims places = Dims::filled(scramble.split.size(), 0);
  for (const Index axis : axes) {
    const auto place = static_cast<Index>(split.size());
    if (axis < 0) ones.push_back(place);
    if (axis >= 0) places[static_cast<std::size_t>(axis)] = place;
    split.push_back(axis < 0 ? 1 : scramble.split[static_cast<std::size_t>(axis)]);
  }
  Dims order;
  for (const Index i : among_ones(detail::reordered(scramble.split, scramble.order), scramble.to)) {
    if (i >= 0) {
      order.push_back(places[static_cast<std::size_t>(scramble.order[static_cast<std::size_t>(i)])]);
    } else if (!ones.empty()) {
      order.push_back(ones[0]);
      ones.erase(0);
    }
  }
  for (const Index place : ones) order.push_back(place);
  scramble.split = split;
  scramble.order = order;
}

/// Whether splitting and merging axes does not make the one of the other.
bool is_cut_across(const Dims& from, const Dims& to) {
  return !nest(joined(boundaries_of(from), boundaries_of(to)));
}

}  // namespace

std::optional<Scramble> find_scramble(const Dims& from, const Dims& to) {
  const Dims old = without_ones(from);
  const Dims made = without_ones(to);
  if (old == made || !detail::are_as_many(old, made)) return std::nullopt;
  Scramble scramble{from, to, old, {}, Certainty::possible};
  std::size_t indications = 0;
  if (const std::optional<Dims> order = reorder_of(old, made)) {
    scramble.order = *order;
    ++indications;
  } else {
    const std::optional<Candidate> candidate = likeliest_swap(old, made);
    if (!candidate) return std::nullopt;
    scramble.split = candidate->split;
    scramble.order = order_of(candidate->swap, candidate->split);
  }
  if (is_cut_across(old, made)) ++indications;
  constexpr std::array certainties{Certainty::possible, Certainty::likely, Certainty::certain};
  scramble.certainty = certainties[indications];
  add_ones(scramble);
  return scramble;
}

}  // namespace tenstride
