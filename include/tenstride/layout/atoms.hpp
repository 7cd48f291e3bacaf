// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tenstride/layout/layout.hpp"

/// What a chain is made of (see chain.hpp): atoms, and the blocks that a cut makes of them.
namespace tenstride {

/// Where an atom's stride counts.
inline constexpr Index in_memory = -1;

/// An indivisible axis of a chain: extent and stride. The stride counts elements of the memory, or numbers of
/// the block it is part of.
struct Atom {
  Index extent = 1;
  Index stride = 0;
  /// `in_memory`, or which block.
  Index block = in_memory;
  friend constexpr bool operator==(const Atom&, const Atom&) = default;
};

/// A list of atoms, the slowest first. No heap for 8 atoms; at most `max_rank`.
class AtomList {
 public:
  [[nodiscard]] constexpr std::size_t size() const noexcept { return extents_.size(); }
  [[nodiscard]] constexpr bool empty() const noexcept { return extents_.empty(); }
  [[nodiscard]] constexpr Atom operator[](std::size_t i) const noexcept {
    return {extents_[i], strides_[i], blocks_[i]};
  }
  [[nodiscard]] constexpr Atom back() const noexcept { return (*this)[size() - 1]; }
  constexpr void set(std::size_t i, const Atom& atom) noexcept {
    extents_[i] = atom.extent;
    strides_[i] = atom.stride;
    blocks_[i] = atom.block;
  }
  constexpr void push_back(const Atom& atom) {
    extents_.push_back(atom.extent);
    strides_.push_back(atom.stride);
    blocks_.push_back(atom.block);
  }
  constexpr void pop_back() noexcept {
    extents_.pop_back();
    strides_.pop_back();
    blocks_.pop_back();
  }
  constexpr void erase(std::size_t i) noexcept {
    extents_.erase(i);
    strides_.erase(i);
    blocks_.erase(i);
  }
  constexpr void reverse() noexcept {
    for (Dims* const part : {&extents_, &strides_, &blocks_}) std::reverse(part->begin(), part->end());
  }
  /// The extents alone.
  [[nodiscard]] constexpr const Dims& extents() const noexcept { return extents_; }
  /// The blocks alone.
  [[nodiscard]] constexpr const Dims& blocks() const noexcept { return blocks_; }
  /// The strides alone: those of a layout where no atom is part of a block.
  [[nodiscard]] constexpr const Dims& strides() const noexcept { return strides_; }
  friend constexpr bool operator==(const AtomList&, const AtomList&) noexcept = default;

 private:
  Dims extents_;
  Dims strides_;
  Dims blocks_;
};

/// Where a chain cuts across atoms: which axes of which shape, and what they should have become.
struct ChainCut {
  /// "reshape", "narrow", "slice" or "diagonal".
  const char* operation = "";
  /// The shape before and after.
  Dims from;
  Dims to;
  /// The axes of `from` that take part, first and last.
  std::size_t first_axis = 0;
  std::size_t last_axis = 0;
  /// The atoms that must first lie in a row, slowest first, and what they are split into instead.
  Dims atoms;
  Dims wanted;
  friend constexpr bool operator==(const ChainCut&, const ChainCut&) = default;
};

/// Several lines, the last without a newline. Example, of (4,6) transposed and reshaped to (4,6):
/// ```
/// reshape: (6,4) to (4,6) cuts across axes 0..1
///   atoms  (6,4), wanted as (4,6): of 4 and 6 neither divides the other
///   takes  a copy that lays these 24 indexes in a row
/// ```
TENSTRIDE_API std::string to_string(const ChainCut& cut);

namespace detail {

/// Atoms that a chain cut across, seen as one axis: number n of the block is the n-th element of `inner` in
/// row-major order. `offset` is the number that index 0 of the chain stands at.
struct Block {
  AtomList inner;
  Index offset = 0;
  ChainCut cut;

  [[nodiscard]] constexpr Index count() const noexcept {
    Index product = 1;
    for (const Index extent : inner.extents()) product *= extent;
    return product;
  }
};

constexpr bool merge(const Atom& left, const Atom& right) {
  return left.block == right.block && try_multiply(right.extent, right.stride) == left.stride;
}

/// Neighbours that are one axis become one atom.
constexpr AtomList coalesced(const AtomList& atoms) {
  AtomList result;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const Atom atom = atoms[i];
    if (!result.empty() && merge(result.back(), atom)) {
      const Index extent = result.back().extent;
      result.set(result.size() - 1, {extent * atom.extent, atom.stride, atom.block});
    } else {
      result.push_back(atom);
    }
  }
  return result;
}

/// One atom that visits the same in the same order; nothing where there is none. No atoms: extent 1.
constexpr std::optional<Atom> merged(const AtomList& atoms, std::size_t first, std::size_t count) {
  if (count == 0) return Atom{};
  Atom result = atoms[first];
  for (std::size_t i = first + 1; i < first + count; ++i) {
    const Atom atom = atoms[i];
    if (!merge(result, atom)) return std::nullopt;
    result = {result.extent * atom.extent, atom.stride, atom.block};
  }
  return result;
}

/// Part of the indexes of an axis.
struct AtomsTaken {
  AtomList kept;
  /// How far the first index of each atom moves.
  Dims steps;
};

/// Keeps `number` indexes of the axis that the atoms are: start, start+step, … Nothing where that cuts across
/// atoms. Pre: number > 0.
constexpr std::optional<AtomsTaken> take_atoms(const AtomList& atoms, Index start, Index step, Index number) {
  AtomsTaken result;
  Index inner = 1;
  for (const Index extent : atoms.extents()) inner *= extent;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const Atom atom = atoms[i];
    inner /= atom.extent;  // indexes of the axis for one step of the atom
    const Index last = start + (number - 1) * step;
    result.steps.push_back(start / inner);
    if (start / inner == last / inner) {
      start %= inner;
    } else if (step % inner == 0) {  // also where the atom is the last one
      result.kept.push_back({number, checked_multiply(atom.stride, step / inner, "slice"), atom.block});
      start %= inner;
      number = 1;
    } else if (inner % step == 0 && (start - start % step) % inner == 0 && number * step % inner == 0) {
      result.kept.push_back({number * step / inner, atom.stride, atom.block});
      start %= step;
      number = inner / step;
    } else {
      return std::nullopt;
    }
  }
  return result;
}

/// The atoms dealt out anew over the axes of a shape.
struct Regrouping {
  AtomList atoms;
  /// How many atoms each axis has.
  Dims counts;
};

/// One side of a regrouping from the right: what is left of the atom at hand.
class AtomSource {
 public:
  constexpr explicit AtomSource(const AtomList& atoms) : atoms_(atoms), next_(atoms.size()) {}
  constexpr const Atom& current() {
    if (atom_.extent == 1) atom_ = atoms_[--next_];
    return atom_;
  }
  /// Takes the `extent` innermost indexes of the current atom. Pre: they divide it.
  constexpr Atom take(Index extent) {
    const Atom inner{extent, current().stride, current().block};
    atom_.extent /= extent;
    // Where nothing is left, nothing has a step.
    if (atom_.extent > 1) atom_.stride = checked_multiply(atom_.stride, extent, "reshape");
    return inner;
  }

 private:
  const AtomList& atoms_;
  std::size_t next_;
  Atom atom_{};
};

/// The shortest rows of atoms and of new sizes, from the right, that hold equally many elements; the last
/// of either side is split where that makes them shorter. Gives the atoms, and appends to `parts` the new
/// factors; `need` and `axis` stand at what is left of the new sizes.
constexpr AtomList take_block(AtomSource& source, const Dims& shape, Index& need, std::size_t& axis,
                              std::vector<std::pair<std::size_t, Index>>& parts) {
  AtomList inner;
  Index old_before = 1;  // elements of the atoms and of the factors taken whole
  Index new_before = 1;
  while (true) {
    const Index extent = source.current().extent;
    const Index old_now = old_before * extent;
    const Index new_now = new_before * need;
    if (old_now == new_now) {
      inner.push_back(source.take(extent));
      parts.emplace_back(axis, need);
      need = 1;
      return inner;
    }
    if (old_now < new_now) {
      if (old_now % new_before == 0 && need % (old_now / new_before) == 0) {
        inner.push_back(source.take(extent));
        parts.emplace_back(axis, old_now / new_before);
        need /= old_now / new_before;
        return inner;
      }
      inner.push_back(source.take(extent));
      old_before = old_now;
    } else {
      if (new_now % old_before == 0 && extent % (new_now / old_before) == 0) {
        inner.push_back(source.take(new_now / old_before));
        parts.emplace_back(axis, need);
        need = 1;
        return inner;
      }
      parts.emplace_back(axis, need);
      new_before = new_now;
      need = shape[--axis];
    }
  }
}

/// The axes of a shape that hold `count` elements in a row, of which `behind` lie to the right.
constexpr std::pair<std::size_t, std::size_t> axes_of_row(const Dims& shape, Index behind, Index count) {
  std::size_t first = shape.size();
  std::size_t last = 0;
  Index right = 1;
  for (std::size_t d = shape.size(); d-- > 0; right *= shape[d]) {
    if (shape[d] == 1 || right >= behind * count || right * shape[d] <= behind) continue;
    first = d;
    last = std::max(last, d);
  }
  return {first, last};
}

/// Deals the atoms out over the axes of `to`, which has as many elements (more than none). Sizes are compared
/// from the right: an atom goes to an axis whole, or is split, as long as one divides the other. Where
/// neither does, the fewest neighbours that agree again become a block, whose number `on_cut(inner, behind,
/// wanted)` gives: its atoms, how many elements are to the right of it, and the factors it is split into
/// instead. Nothing where that gives none.
template <class OnCut>
constexpr std::optional<Regrouping> regroup(const AtomList& atoms, const Dims& to, const OnCut& on_cut) {
  Regrouping result{{}, Dims::filled(to.size(), 0)};
  AtomSource source(atoms);
  Index behind = 1;
  const auto give = [&](std::size_t axis, const Atom& atom) {
    if (atom.extent == 1) return;
    result.atoms.push_back(atom);
    ++result.counts[axis];
    behind *= atom.extent;
  };
  for (std::size_t axis = to.size(); axis-- > 0;) {
    Index need = to[axis];
    while (need > 1) {
      const Index extent = source.current().extent;
      if (need % extent == 0) {
        give(axis, source.take(extent));
        need /= extent;
        continue;
      }
      if (extent % need == 0) {
        give(axis, source.take(need));
        need = 1;
        continue;
      }
      std::vector<std::pair<std::size_t, Index>> parts;
      AtomList inner = take_block(source, to, need, axis, parts);
      inner.reverse();
      Dims wanted;
      for (const auto& [to_axis, part] : parts) {
        if (part != 1) wanted.insert(0, part);
      }
      const std::optional<Index> number = on_cut(inner, behind, wanted);
      if (!number) return std::nullopt;
      Index step = 1;
      for (const auto& [to_axis, part] : parts) {
        give(to_axis, {part, step, *number});
        step *= part;
      }
    }
  }
  result.atoms.reverse();
  return result;
}

}  // namespace detail
}  // namespace tenstride
