// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tenstride/layout/atoms.hpp"

/// The atoms of all axes of a chain, and what operations do to them. Arguments are checked before (see
/// chain.hpp).
namespace tenstride {

/// One strided copy: `dst` lies in fresh memory of numel(dst) elements, which it fills; `src` in the memory
/// before.
struct ChainCopy {
  Layout src;
  Layout dst;
  friend constexpr bool operator==(const ChainCopy&, const ChainCopy&) = default;
};

namespace detail {

/// A list of atoms for each axis. Invariant: no atom has extent 1; one of extent 0 is alone in its axis, and
/// then there are no blocks.
class AxisAtoms {
 public:
  constexpr explicit AxisAtoms(const Layout& layout) : offset_(layout.offset) {
    for (std::size_t d = 0; d < layout.rank(); ++d) {
      counts_.push_back(layout.shape[d] == 1 ? 0 : 1);
      if (layout.shape[d] != 1) atoms_.push_back({layout.shape[d], layout.strides[d], in_memory});
    }
  }

  [[nodiscard]] constexpr std::size_t rank() const noexcept { return counts_.size(); }
  [[nodiscard]] constexpr const std::vector<Block>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] constexpr Index offset() const noexcept { return offset_; }
  [[nodiscard]] constexpr AtomList of_axis(std::size_t axis) const {
    AtomList result;
    for (std::size_t i = first(axis); i < first(axis) + count(axis); ++i) result.push_back(atoms_[i]);
    return result;
  }

  /// Axis i becomes axis order[i] of before, or one without atoms where that is -1.
  constexpr void reorder(const Dims& order) {
    AtomList atoms;
    Dims counts;
    for (const Index axis : order) {
      counts.push_back(axis < 0 ? 0 : counts_[at(axis)]);
      for (std::size_t i = 0; i < at(counts.back()); ++i) atoms.push_back(atoms_[first(at(axis)) + i]);
    }
    atoms_ = atoms;
    counts_ = counts;
  }
  /// Gives an axis other atoms.
  constexpr void replace(std::size_t axis, const AtomList& list) {
    AtomList atoms;
    for (std::size_t i = 0; i < first(axis); ++i) atoms.push_back(atoms_[i]);
    for (std::size_t i = 0; i < list.size(); ++i) atoms.push_back(list[i]);
    for (std::size_t i = first(axis) + count(axis); i < atoms_.size(); ++i) atoms.push_back(atoms_[i]);
    atoms_ = atoms;
    counts_[axis] = static_cast<Index>(list.size());
  }
  constexpr void flip(std::size_t axis) {
    for (std::size_t i = first(axis); i < first(axis) + count(axis); ++i) {
      const Atom atom = atoms_[i];
      advance(atom, atom.extent - 1);
      atoms_.set(i, {atom.extent, -atom.stride, atom.block});
    }
  }

  /// Keeps `number` indexes of an axis: start, start+step, … False, and nothing changed, where that cuts
  /// across atoms. Pre: number > 0.
  constexpr bool take(std::size_t axis, Index start, Index step, Index number) {
    const AtomList atoms = of_axis(axis);
    const std::optional<AtomsTaken> taken = take_atoms(atoms, start, step, number);
    if (!taken) return false;
    for (std::size_t i = 0; i < atoms.size(); ++i) advance(atoms[i], taken->steps[i]);
    replace(axis, taken->kept);
    trim_blocks();
    return true;
  }

  /// Makes the last axis of what two axes hold at (start_a, start_b), (start_a+1, start_b+1), …; the two go.
  /// False, and nothing changed, where the atoms do not let it. Pre: number > 0.
  constexpr bool take_diagonal(std::size_t a, std::size_t b, Index start_a, Index start_b, Index number) {
    AxisAtoms result = *this;
    if (!result.take(a, start_a, 1, number) || !result.take(b, start_b, 1, number)) return false;
    const AtomList left = result.of_axis(a);
    const AtomList right = result.of_axis(b);
    if (left.extents() != right.extents() || left.blocks() != right.blocks()) return false;
    AtomList sums;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const Index stride = checked_add(left[i].stride, right[i].stride, "diagonal");
      sums.push_back({left[i].extent, stride, left[i].block});
    }
    Dims order;
    for (std::size_t d = 0; d < rank(); ++d) {
      if (d != a && d != b) order.push_back(static_cast<Index>(d));
    }
    order.push_back(-1);
    result.reorder(order);
    result.replace(order.size() - 1, sums);
    *this = std::move(result);
    return true;
  }

  /// Puts the atoms of axes a and b (which may be one) into one block, of which each axis becomes one atom.
  /// False where some are part of a block already.
  constexpr bool fuse(const ChainCut& cut, std::size_t a, std::size_t b) {
    Block block{of_axis(a), 0, cut};
    const Index size_a = block.count();
    const AtomList other = of_axis(b);
    for (std::size_t i = 0; a != b && i < other.size(); ++i) block.inner.push_back(other[i]);
    for (const Index number : block.inner.blocks()) {
      if (number != in_memory) return false;
    }
    block.cut.atoms = block.inner.extents();
    const Index size_b = block.count() / size_a;
    const auto number = static_cast<Index>(blocks_.size());
    replace_by_one(a, {size_a, size_b, number});
    if (a != b) replace_by_one(b, {size_b, 1, number});
    blocks_.push_back(std::move(block));
    return true;
  }

  /// Deals the atoms out over another shape of as many elements; false, and nothing changed, where a cut goes
  /// through a block. Pre: not empty.
  constexpr bool reshape(const Dims& from, const Dims& to) {
    AxisAtoms opened = *this;
    opened.open_whole_blocks();
    std::vector<Block> blocks = opened.blocks_;
    const auto cut = [&](const AtomList& inner, Index behind, const Dims& wanted) -> std::optional<Index> {
      for (const Index number : inner.blocks()) {
        if (number != in_memory) return std::nullopt;
      }
      Block block{inner, 0, {}};
      const auto [first, last] = axes_of_row(from, behind, block.count());
      block.cut = {"reshape", from, to, first, last, inner.extents(), wanted};
      blocks.push_back(std::move(block));
      return static_cast<Index>(blocks.size()) - 1;
    };
    const std::optional<Regrouping> dealt = regroup(opened.atoms_, to, cut);
    if (!dealt) return false;
    opened.atoms_ = dealt->atoms;
    opened.counts_ = dealt->counts;
    opened.blocks_ = std::move(blocks);
    *this = std::move(opened);
    return true;
  }

  /// One stride for each axis, where there is one. An axis of size 1 gets that of the row to its right, as
  /// unsqueeze gives it.
  [[nodiscard]] constexpr std::optional<Layout> try_merge(const Dims& shape) const {
    if (!blocks_.empty()) return std::nullopt;
    Layout result{shape, Dims::filled(shape.size(), 1), offset_};
    Index right = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      const std::optional<Atom> atom = merged(atoms_, first(d), count(d));
      if (!atom) return std::nullopt;
      result.strides[d] = atom->extent == 1 ? right : atom->stride;
      right = try_multiply(result.strides[d], shape[d]).value_or(1);
    }
    return result;
  }

  /// The copy of everything into a row-major tensor of the chain's shape. Pre: no blocks.
  [[nodiscard]] constexpr ChainCopy final_copy() const {
    const AtomList atoms = coalesced(atoms_);
    return {{atoms.extents(), atoms.strides(), offset_}, row_major(atoms.extents())};
  }

  /// The copy that lays each block in a row, and these atoms behind it, without blocks. It keeps the order of
  /// the axes, and leaves out what is only repeated (atoms of stride 0 outside a block).
  constexpr ChainCopy settle() {
    AtomList source;
    Dims units_at = Dims::filled(blocks_.size(), -1);  // which atom of `source` is the last of a block
    Dims places;                                       // which atom of `source` an atom is, -1: left out
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      const Atom atom = atoms_[i];
      if (atom.block == in_memory) {
        if (atom.stride != 0) source.push_back(atom);
        places.push_back(atom.stride != 0 ? static_cast<Index>(source.size()) - 1 : -1);
        continue;
      }
      if (units_at[at(atom.block)] < 0) {
        const AtomList& inner = blocks_[at(atom.block)].inner;
        for (std::size_t k = 0; k < inner.size(); ++k) source.push_back(inner[k]);
        units_at[at(atom.block)] = static_cast<Index>(source.size()) - 1;
      }
      places.push_back(units_at[at(atom.block)]);
    }
    const ChainCopy copy{{source.extents(), source.strides(), offset_}, row_major(source.extents())};
    offset_ = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      offset_ += blocks_[b].offset * copy.dst.strides[at(units_at[b])];
    }
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      const Atom atom = atoms_[i];
      if (places[i] < 0) continue;
      const Index unit = copy.dst.strides[at(places[i])];
      atoms_.set(i, {atom.extent, atom.block == in_memory ? unit : atom.stride * unit, in_memory});
    }
    blocks_.clear();
    return copy;
  }

 private:
  [[nodiscard]] constexpr std::size_t count(std::size_t axis) const { return at(counts_[axis]); }
  [[nodiscard]] constexpr std::size_t first(std::size_t axis) const {
    std::size_t result = 0;
    for (std::size_t d = 0; d < axis; ++d) result += count(d);
    return result;
  }
  constexpr void replace_by_one(std::size_t axis, const Atom& atom) {
    AtomList one;
    if (atom.extent != 1) one.push_back(atom);
    replace(axis, one);
  }
  constexpr void advance(const Atom& atom, Index steps) {
    Index& offset = atom.block == in_memory ? offset_ : blocks_[at(atom.block)].offset;
    offset = checked_add(offset, checked_multiply(steps, atom.stride, "chain"), "chain");
  }

  /// Forgets block `number`, whose numbers lie `unit` apart in memory.
  constexpr void dissolve(std::size_t number, Index unit) {
    offset_ += blocks_[number].offset * unit;
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(number));
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      Atom atom = atoms_[i];
      if (atom.block == static_cast<Index>(number)) {
        atom = {atom.extent, atom.stride * unit, in_memory};
      } else if (atom.block > static_cast<Index>(number)) {
        --atom.block;
      }
      atoms_.set(i, atom);
    }
  }

  /// Cuts off what no index reaches any more, from the slowest atom of each block on; a block of one atom is
  /// none.
  constexpr void trim_blocks() {
    for (std::size_t b = blocks_.size(); b-- > 0;) {
      Block& block = blocks_[b];
      Index low = block.offset;
      Index high = block.offset;
      for (std::size_t i = 0; i < atoms_.size(); ++i) {
        if (atoms_[i].block != static_cast<Index>(b)) continue;
        const Index span = (atoms_[i].extent - 1) * atoms_[i].stride;
        (span < 0 ? low : high) += span;
      }
      while (!block.inner.empty()) {
        const Atom slowest = block.inner[0];
        const Index row = block.count() / slowest.extent;
        const Index skipped = low / row;
        const Index rows = high / row - skipped + 1;
        offset_ += skipped * slowest.stride;
        for (Index* const position : {&low, &high, &block.offset}) *position -= skipped * row;
        block.inner.set(0, {rows, slowest.stride, in_memory});
        if (rows > 1) break;
        block.inner.erase(0);
      }
      if (block.inner.size() <= 1) dissolve(b, block.inner.empty() ? 0 : block.inner[0].stride);
    }
  }

  /// Merges what merges, over the borders of axes (`counts_` is void then). A block that is one atom again,
  /// from its first number to its last, gives back the atoms it is made of: its cut was needless.
  constexpr void open_whole_blocks() {
    atoms_ = coalesced(atoms_);
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      const Atom atom = atoms_[i];
      if (atom.block == in_memory) continue;
      const Block block = blocks_[at(atom.block)];
      if (atom.stride != 1 || block.offset != 0 || atom.extent != block.count()) continue;
      AtomList opened;
      for (std::size_t k = 0; k < i; ++k) opened.push_back(atoms_[k]);
      for (std::size_t k = 0; k < block.inner.size(); ++k) opened.push_back(block.inner[k]);
      for (std::size_t k = i + 1; k < atoms_.size(); ++k) opened.push_back(atoms_[k]);
      atoms_ = opened;
      dissolve(at(atom.block), 0);
      i += block.inner.size() - 1;
    }
    atoms_ = coalesced(atoms_);
  }

  AtomList atoms_;  ///< of all axes, in order
  Dims counts_;     ///< how many atoms each axis has
  Index offset_;    ///< where index 0,0,… stands, but for the blocks' offsets
  std::vector<Block> blocks_;
};

}  // namespace detail
}  // namespace tenstride
