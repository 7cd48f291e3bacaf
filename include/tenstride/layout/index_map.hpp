// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "tenstride/layout/atoms.hpp"

/// What became of each axis of a source on the way through views, reshapes and copies.
namespace tenstride {

/// Where each index of a result comes from, axis by axis: the axes keep their identity, whatever the strides.
/// Example: of x.permute(1, 0)[2:], x of shape (4,9), axis 0 is axis 1 of x by steps of 1, axis 1 is axis 0,
/// and `first` is (0,2). The idea is that of TensorStore's IndexTransform
/// (https://google.github.io/tensorstore/index_space.html).
struct IndexMap {
  struct Axis {
    /// The axis of the source that it is, or a part of; then no other axis of the result has any of its
    /// indices. Nothing where all indices have the same elements (a new axis, or a widened one), and where it
    /// is merged.
    std::optional<std::size_t> source{};
    /// How far the next index is in the source; negative where the axis is flipped.
    Index step = 1;
    /// Anything else: made of several axes of the source, or one of several that share an axis.
    bool is_merged = false;
    friend constexpr bool operator==(const Axis&, const Axis&) = default;
  };

  /// One for each axis of the result.
  std::vector<Axis> axes;
  /// For each axis of the source the index that the first element of the result has.
  Dims first;
  /// Whether a reshape has cut across axes of the source, or a diagonal runs through several: of those,
  /// `first` is not known.
  bool has_cuts = false;

  /// The map of a result that is its source.
  [[nodiscard]] static constexpr IndexMap identity(std::size_t rank) {
    IndexMap map{{}, Dims::filled(rank, 0)};
    for (std::size_t axis = 0; axis < rank; ++axis) map.axes.push_back({axis});
    return map;
  }
  /// Whether the map says all: along each axis of the source an element of the result has `first`, and `step`
  /// more for each index of the axis that is a part of it.
  [[nodiscard]] constexpr bool is_axis_wise() const {
    for (const Axis& axis : axes) {
      if (axis.is_merged) return false;
    }
    return !has_cuts;
  }
  friend constexpr bool operator==(const IndexMap&, const IndexMap&) = default;
};

namespace detail {

/// The axes of the source that each axis of a result runs through, while a chain grows. A part is an atom
/// whose stride is the step in an axis of the source, and whose block is that axis.
class AxisParts {
 public:
  constexpr explicit AxisParts(const Dims& shape)
      : counts_(Dims::filled(shape.size(), 0)),
        singles_(Dims::filled(shape.size(), no_source)),
        first_(Dims::filled(shape.size(), 0)),
        is_cut_(Dims::filled(shape.size(), 0)) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 1) {
        singles_[d] = static_cast<Index>(d);
      } else {
        counts_[d] = 1;
        parts_.push_back({shape[d], 1, static_cast<Index>(d)});
      }
    }
  }

  /// Axis i becomes axis order[i] of before, or a new one of one index where that is -1.
  constexpr void reorder(const Dims& order) {
    AtomList parts;
    Dims counts, singles;
    for (const Index axis : order) {
      counts.push_back(axis < 0 ? 0 : counts_[at(axis)]);
      singles.push_back(axis < 0 ? no_source : singles_[at(axis)]);
      for (std::size_t i = 0; i < at(counts.back()); ++i) parts.push_back(parts_[begin(at(axis)) + i]);
    }
    parts_ = parts;
    counts_ = counts;
    singles_ = singles;
  }
  /// An axis of one index gets `size` of them.
  constexpr void widen(std::size_t axis, Index size) { replace(axis, {size, 0, repeated}); }
  constexpr void flip(std::size_t axis) {
    for (std::size_t i = begin(axis); i < begin(axis) + at(counts_[axis]); ++i) {
      const Atom part = parts_[i];
      if (part.extent > 0) advance(part, part.extent - 1);
      parts_.set(i, {part.extent, -part.stride, part.block});
    }
  }
  /// Keeps `number` indexes of an axis: start, start+step, …
  constexpr void take(std::size_t axis, Index start, Index step, Index number) {
    const AtomList before = of_axis(axis);
    const std::optional<Atom> single = merged(before, 0, before.size());
    if (number == 0) {
      const Index alone = singles_[axis] >= 0 ? singles_[axis] : repeated;
      return replace(axis, {0, 1, before.empty() ? alone : single ? single->block : mixed});
    }
    const std::optional<AtomsTaken> taken = take_atoms(before, start, step, number);
    if (!taken) {
      spoil(before);
      return replace(axis, {number, 0, mixed});
    }
    for (std::size_t i = 0; i < before.size(); ++i) advance(before[i], taken->steps[i]);
    if (number == 1 && !before.empty()) singles_[axis] = single ? single->block : no_source;
    replace(axis, taken->kept);
  }
  /// The last axis of what two axes hold together; the two go.
  constexpr void take_diagonal(std::size_t a, std::size_t b, Index number) {
    spoil(of_axis(a));
    spoil(of_axis(b));
    Dims order;
    for (std::size_t d = 0; d < counts_.size(); ++d) {
      if (d != a && d != b) order.push_back(static_cast<Index>(d));
    }
    order.push_back(-1);
    reorder(order);
    if (number != 1) replace(order.size() - 1, {number, 0, mixed});
  }
  constexpr void reshape(const Dims& from, const Dims& to) {
    if (from == to) return;
    const Dims singles = matched_singles(from, to);
    AtomList parts;
    Dims counts;
    if (is_empty()) {
      for (const Index size : to) {
        counts.push_back(size == 1 ? 0 : 1);
        if (size != 1) parts.push_back({size, 0, mixed});
      }
    } else {
      const auto cut = [&](const AtomList& inner, Index /*behind*/, const Dims& /*wanted*/) {
        spoil(inner);
        return std::optional<Index>(mixed);
      };
      const Regrouping dealt = regroup(coalesced(parts_), to, cut).value();
      parts = dealt.atoms;
      counts = dealt.counts;
    }
    parts_ = parts;
    counts_ = counts;
    singles_ = singles;
  }

  [[nodiscard]] constexpr IndexMap map() const {
    IndexMap result{{}, first_};
    for (std::size_t d = 0; d < counts_.size(); ++d) result.axes.push_back(axis(d));
    for (const Index is_cut : is_cut_) result.has_cuts = result.has_cuts || is_cut != 0;
    if (!is_empty()) return result;
    // Of no element anything is true.
    result.has_cuts = false;
    for (IndexMap::Axis& axis : result.axes) axis.is_merged = false;
    return result;
  }

 private:
  /// Blocks of what is no part of one axis.
  static constexpr Index no_source = -1, mixed = -1, repeated = -2;

  [[nodiscard]] constexpr bool is_empty() const {
    const Dims& extents = parts_.extents();
    return std::find(extents.begin(), extents.end(), 0) != extents.end();
  }
  [[nodiscard]] constexpr std::size_t begin(std::size_t axis) const {
    std::size_t result = 0;
    for (std::size_t d = 0; d < axis; ++d) result += at(counts_[d]);
    return result;
  }
  [[nodiscard]] constexpr AtomList of_axis(std::size_t axis) const {
    AtomList result;
    for (std::size_t i = begin(axis); i < begin(axis) + at(counts_[axis]); ++i) result.push_back(parts_[i]);
    return result;
  }
  constexpr void replace(std::size_t axis, const AtomList& list) {
    AtomList parts;
    for (std::size_t i = 0; i < begin(axis); ++i) parts.push_back(parts_[i]);
    for (std::size_t i = 0; i < list.size(); ++i) parts.push_back(list[i]);
    for (std::size_t i = begin(axis) + at(counts_[axis]); i < parts_.size(); ++i) parts.push_back(parts_[i]);
    parts_ = parts;
    counts_[axis] = static_cast<Index>(list.size());
    if (!list.empty()) singles_[axis] = no_source;
  }
  constexpr void replace(std::size_t axis, const Atom& part) {
    AtomList one;
    one.push_back(part);
    replace(axis, one);
  }
  constexpr void advance(const Atom& part, Index steps) {
    if (part.block >= 0) first_[at(part.block)] += steps * part.stride;
  }
  /// Notes that axes are mixed with others: no axis is a part of them any more.
  constexpr void spoil(const AtomList& parts) {
    for (const Index source : parts.blocks()) {
      if (source >= 0) is_cut_[at(source)] = 1;
    }
  }
  /// Axes of one index are the same where equally many of them stand between the same elements.
  [[nodiscard]] constexpr Dims matched_singles(const Dims& from, const Dims& to) const {
    Dims result = Dims::filled(to.size(), no_source);
    const auto behind = [](const Dims& shape, std::size_t axis) {
      Index count = 1;
      for (std::size_t d = axis + 1; d < shape.size(); ++d) count *= shape[d];
      return count;
    };
    const auto places = [&](const Dims& shape, Index elements) {
      Dims found;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 1 && behind(shape, d) == elements) found.push_back(static_cast<Index>(d));
      }
      return found;
    };
    for (std::size_t d = 0; d < to.size(); ++d) {
      if (to[d] != 1) continue;
      const Dims before = places(from, behind(to, d)), now = places(to, behind(to, d));
      if (before.size() != now.size()) continue;
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (at(now[i]) == d) result[d] = singles_[at(before[i])];
      }
    }
    return result;
  }
  /// How many parts are of an axis of the source.
  [[nodiscard]] constexpr std::size_t users(const Dims& sources, Index source) const {
    std::size_t count = 0;
    for (const Index found : sources) count += found == source ? 1 : 0;
    return count;
  }
  [[nodiscard]] constexpr IndexMap::Axis axis(std::size_t d) const {
    const IndexMap::Axis unknown{std::nullopt, 1, true};
    const AtomList parts = of_axis(d);
    if (parts.empty()) {
      const Index source = singles_[d];
      const bool is_part = source >= 0 && is_cut_[at(source)] == 0 && users(parts_.blocks(), source) == 0 &&
                           users(singles_, source) == 1;
      return is_part ? IndexMap::Axis{at(source)} : IndexMap::Axis{};
    }
    const std::optional<Atom> one = merged(parts, 0, parts.size());
    if (!one || one->block == mixed) return unknown;
    if (one->block == repeated) return {};
    const bool is_alone = users(parts_.blocks(), one->block) == parts.size() && is_cut_[at(one->block)] == 0;
    return is_alone ? IndexMap::Axis{at(one->block), one->stride} : unknown;
  }

  AtomList parts_;  ///< of all axes, in order; none of one index
  Dims counts_;     ///< how many parts each axis has
  Dims singles_;    ///< of an axis of one index: the axis of the source, or no_source
  Dims first_;      ///< for each axis of the source
  Dims is_cut_;     ///< the same: whether an axis is made of a piece of it and of others
};

}  // namespace detail
}  // namespace tenstride
