// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tenstride/layout/axis_atoms.hpp"
#include "tenstride/layout/index_map.hpp"
#include "tenstride/layout/reshape.hpp"

namespace tenstride {

/// How a chain is carried out: the copies, one after the other, then a view of the memory they end with (of
/// the source where there is none).
struct ChainPlan {
  std::vector<ChainCopy> copies;
  Layout result;
  [[nodiscard]] constexpr bool is_view() const noexcept { return copies.empty(); }
  friend constexpr bool operator==(const ChainPlan&, const ChainPlan&) = default;
};

/// A copy whose axes are parts of axes of its result, and the axis that each is a part of.
struct AxisCopy {
  ChainCopy copy;
  Dims axes;
};

/// A copy into a row-major tensor of `shape`, its axes dealt out over those of the shape; nothing where one
/// of them lies across two. Example: (162):(1) -> (162):(1) for (18,9) becomes (18,9):(9,1) -> (18,9):(9,1)
/// with the axes (0,1); of (3,1208):(1,3) nothing is made for (604,6).
constexpr std::optional<AxisCopy> copy_by_axes(const ChainCopy& copy, const Dims& shape) {
  AxisCopy result{copy, {}};
  const auto count_axes = [&](const Dims& counts) {
    for (std::size_t d = 0; d < counts.size(); ++d) {
      for (Index i = 0; i < counts[d]; ++i) result.axes.push_back(static_cast<Index>(d));
    }
  };
  if (is_empty(copy.src)) {
    count_axes(Dims::filled(shape.size(), 1));
    return result;
  }
  AtomList atoms;
  for (std::size_t d = 0; d < copy.src.rank(); ++d) {
    if (copy.src.shape[d] != 1) atoms.push_back({copy.src.shape[d], copy.src.strides[d], in_memory});
  }
  const auto refuse = [](const AtomList&, Index, const Dims&) { return std::optional<Index>(); };
  const std::optional<detail::Regrouping> dealt = detail::regroup(atoms, shape, refuse);
  if (!dealt) return std::nullopt;
  result.copy = {{dealt->atoms.extents(), dealt->atoms.strides(), copy.src.offset},
                 row_major(dealt->atoms.extents())};
  count_axes(dealt->counts);
  return result;
}

/// One line for each copy and one for the result, the last without a newline. Example:
/// ```
/// copy 1  24 elements  (4,2,3):(1,12,4)+0 -> (4,2,3):(6,3,1)+0
/// result  (4,6):(6,1)+0
/// ```
TENSTRIDE_API std::string to_string(const ChainPlan& plan);

/// A layout that keeps more reshapes free than strides can: each axis is a list of atoms (extent, stride), so
/// axes whose strides do not nest may still be one axis, and be split again. Every operation gives a new
/// chain and moves nothing; arguments and refusals are those of the operation on a tensor. At the end a chain
/// is a view, or one copy; each reshape that cuts across atoms (sizes that do not divide each other) costs
/// one copy more, unless a later operation makes that needless. A value with no memory behind it.
///
/// Example: `Chain({{2, 3, 4}, {12, 4, 1}}).permute({2, 0, 1}).reshape({4, 6})` is `(4,(2,3)):(1,(12,4))+0`.
class Chain {
 public:
  constexpr explicit Chain(const Layout& layout) : view_(layout), atoms_(layout) {}
  /// A chain that also follows what becomes of each axis (`index_map`).
  [[nodiscard]] static constexpr Chain with_index_map(const Layout& layout) {
    Chain chain(layout);
    chain.parts_.emplace(layout.shape);
    return chain;
  }

  [[nodiscard]] constexpr const Dims& shape() const noexcept { return view_.shape; }
  [[nodiscard]] constexpr std::size_t rank() const noexcept { return view_.rank(); }
  /// The atoms of one axis, the slowest first; an axis of size 1 has none. Throws AxisError.
  [[nodiscard]] constexpr AtomList atoms(Index axis) const {
    const std::size_t d = wrap_axis("atoms", axis, shape());
    return rank() == 0 ? AtomList() : atoms_.of_axis(d);
  }

  /// What became of each axis. Nothing where the chain did not begin `with_index_map`. Example: of
  /// x.reshape(3, 2) of 6 elements both axes are merged; of x.reshape(3, 2)[:, 1] the axis is axis 0 of x
  /// from index 1 on by steps of 2.
  [[nodiscard]] constexpr std::optional<IndexMap> index_map() const {
    return parts_ ? std::optional(parts_->map()) : std::nullopt;
  }

  // Axes moved, added, dropped, widened: free.

  [[nodiscard]] constexpr Chain permute(const Dims& order) const {
    return moved([&](const Layout& x) { return tenstride::permute(x, order); });
  }
  [[nodiscard]] constexpr Chain transpose(Index axis0, Index axis1) const {
    return moved([&](const Layout& x) { return tenstride::transpose(x, axis0, axis1); });
  }
  [[nodiscard]] constexpr Chain movedim(const Dims& source, const Dims& destination) const {
    return moved([&](const Layout& x) { return tenstride::movedim(x, source, destination); });
  }
  [[nodiscard]] constexpr Chain movedim(Index source, Index destination) const {
    return movedim(Dims{source}, Dims{destination});
  }
  [[nodiscard]] constexpr Chain squeeze() const {
    return moved([](const Layout& x) { return tenstride::squeeze(x); });
  }
  [[nodiscard]] constexpr Chain squeeze(Index axis) const {
    return moved([&](const Layout& x) { return tenstride::squeeze(x, axis); });
  }
  [[nodiscard]] constexpr Chain squeeze(const Dims& axes) const {
    return moved([&](const Layout& x) { return tenstride::squeeze(x, axes); });
  }
  [[nodiscard]] constexpr Chain unsqueeze(Index axis) const {
    Chain result = *this;
    const std::size_t d = detail::wrap_axis("unsqueeze", axis, shape(), rank() + 1);
    result.view_ = tenstride::unsqueeze(view_, axis);
    Dims order = natural_order();
    order.insert(d, -1);
    result.reorder(order);
    return result;
  }
  /// A new or widened axis is an atom of stride 0.
  [[nodiscard]] constexpr Chain expand(const Dims& sizes) const {
    Chain result = *this;
    result.view_ = tenstride::expand(view_, sizes);
    const std::size_t added = sizes.size() - rank();
    Dims order = natural_order();
    for (std::size_t i = 0; i < added; ++i) order.insert(0, -1);
    result.reorder(order);
    for (std::size_t d = 0; d < result.rank(); ++d) {
      const Index size = result.shape()[d];
      if (size == (d < added ? 1 : shape()[d - added])) continue;
      AtomList repeated;
      repeated.push_back({size, 0, in_memory});
      result.atoms_.replace(d, repeated);
      if (parts_) result.parts_->widen(d, size);
    }
    return is_empty(result.view_) ? emptied(result) : result;
  }

  // Parts of axes: free where the part falls on atoms.

  [[nodiscard]] constexpr Chain select(Index axis, Index index) const {
    Chain result = *this;
    result.view_ = tenstride::select(view_, axis, index);
    const std::size_t d = wrap_axis("select", axis, shape());
    const Index at = index < 0 ? index + shape()[d] : index;
    Dims order = natural_order();
    order.erase(d);
    if (parts_) result.parts_->take(d, at, 1, 1);
    if (!is_empty(result.view_)) result.atoms_.take(d, at, 1, 1);
    result.reorder(order);
    return is_empty(result.view_) ? emptied(result) : result;
  }
  [[nodiscard]] constexpr Chain narrow(Index axis, Index start, Index length) const {
    return taken("narrow", axis, [&](const Layout& x) { return tenstride::narrow(x, axis, start, length); });
  }
  [[nodiscard]] constexpr Chain slice(Index axis = 0, std::optional<Index> start = {},
                                      std::optional<Index> end = {}, Index step = 1) const {
    return taken("slice", axis, [&](const Layout& x) { return tenstride::slice(x, axis, start, end, step); });
  }
  /// The axes walked backwards, which is always free (a tensor's own `flip` copies).
  [[nodiscard]] constexpr Chain flip(const Dims& axes) const {
    Chain result = *this;
    result.view_ = flip_view(view_, axes);
    for (const Index axis : axes) {
      if (rank() == 0) continue;
      const std::size_t d = wrap_axis("flip", axis, shape());
      if (parts_) result.parts_->flip(d);
      if (!is_empty(view_)) result.atoms_.flip(d);
    }
    return result;
  }
  [[nodiscard]] constexpr Chain diagonal(Index offset = 0, Index axis1 = 0, Index axis2 = 1) const {
    Chain result = *this;
    result.view_ = tenstride::diagonal(view_, offset, axis1, axis2);
    const std::size_t a = wrap_axis("diagonal", axis1, shape());
    const std::size_t b = wrap_axis("diagonal", axis2, shape());
    if (parts_) result.parts_->take_diagonal(a, b, result.shape().back());
    if (is_empty(result.view_)) return emptied(result);
    const Index start_a = std::max<Index>(-offset, 0);
    const Index start_b = std::max<Index>(offset, 0);
    const Index length = result.shape().back();
    if (result.atoms_.take_diagonal(a, b, start_a, start_b, length)) return result;
    const ChainCut cut{"diagonal", shape(), result.shape(), std::min(a, b), std::max(a, b), {}, {}};
    result.is_exact_ = false;
    if (!result.atoms_.fuse(cut, a, b)) return settled().diagonal(offset, axis1, axis2);
    result.atoms_.take_diagonal(a, b, start_a, start_b, length);
    return result;
  }

  // The same elements in another shape; one size may be -1. Free as long as the sizes divide.

  [[nodiscard]] constexpr Chain reshape(const Dims& sizes) const {
    return regrouped(infer_shape(sizes, numel(view_), shape(), "reshape"));
  }
  /// The same chain as `reshape` gives: it copies at its end, if at all, so there is no difference.
  [[nodiscard]] constexpr Chain view(const Dims& sizes) const {
    return regrouped(infer_shape(sizes, numel(view_), shape(), "view"));
  }
  [[nodiscard]] constexpr Chain flatten(Index start_axis = 0, Index end_axis = -1) const {
    const Dims target = flatten_shape(shape(), start_axis, end_axis);
    return target == shape() ? *this : regrouped(target);
  }
  [[nodiscard]] constexpr Chain unflatten(Index axis, const Dims& sizes) const {
    if (sizes.empty()) detail::throw_no_sizes("unflatten");
    const std::size_t d = wrap_axis("unflatten", axis, shape());
    if (rank() == 0) detail::throw_no_axes("unflatten");
    const Dims parts = infer_shape(sizes, shape()[d], shape(), "unflatten");
    Dims target = shape();
    target.erase(d);
    for (std::size_t i = 0; i < parts.size(); ++i) target.insert(d + i, parts[i]);
    return regrouped(target);
  }

  /// The layout on the source's memory, where there is one: PyTorch's own as long as every step was a view
  /// there, otherwise the atoms of each axis as one.
  [[nodiscard]] constexpr std::optional<Layout> try_view() const {
    if (!copies_.empty()) return std::nullopt;
    return try_merge();
  }
  [[nodiscard]] constexpr bool is_view() const { return try_view().has_value(); }
  /// The copies it takes, and the view behind them: none for a view, one as long as nothing cuts. The result
  /// of a copy is row-major, unless a view of what a cut had to copy already will do.
  [[nodiscard]] constexpr ChainPlan plan() const {
    if (!atoms_.blocks().empty()) return settled().plan();
    if (const std::optional<Layout> layout = try_merge()) return {copies_, *layout};
    return copied_plan();
  }
  /// The plan that ends with a row-major tensor of its own in any case.
  [[nodiscard]] constexpr ChainPlan copy_plan() const {
    if (!atoms_.blocks().empty()) return settled().copy_plan();
    const Layout wanted = row_major(shape());
    if (!copies_.empty() && numel(copies_.back().dst) == numel(view_) && try_merge()) {
      if (is_contiguous(*try_merge())) return {copies_, wanted};
    }
    return copied_plan();
  }
  /// On what a reduction of the axes from `kept` on gives, which is row-major of another shape of as many
  /// elements: the axes before them are followed further.
  [[nodiscard]] constexpr Chain reduced(std::size_t kept, const Dims& sizes) const {
    Chain result(row_major(sizes));
    if (!parts_) return result;
    result.parts_ = parts_;
    Dims order, before;
    for (std::size_t d = 0; d < kept; ++d) {
      order.push_back(static_cast<Index>(d));
      before.push_back(shape()[d]);
    }
    result.parts_->reorder(order);
    result.parts_->reshape(before, sizes);
    return result;
  }
  /// The cuts that cost a copy.
  [[nodiscard]] constexpr std::vector<ChainCut> cuts() const {
    std::vector<ChainCut> result = cuts_;
    for (const detail::Block& block : atoms_.blocks()) result.push_back(block.cut);
    return result;
  }

  /// The chain printed as a layout, the atoms of an axis in parentheses: "(4,(2,3)):(1,(12,4))+0". An atom
  /// of a block has a stride like "6@A", and the blocks follow: " with A = (6,4):(1,6)".
  [[nodiscard]] TENSTRIDE_API std::string to_string() const;

 private:
  [[nodiscard]] constexpr Dims natural_order() const {
    Dims order;
    for (std::size_t d = 0; d < rank(); ++d) order.push_back(static_cast<Index>(d));
    return order;
  }
  constexpr void reorder(const Dims& order) {
    atoms_.reorder(order);
    if (parts_) parts_->reorder(order);
  }
  /// A chain without elements is any view.
  [[nodiscard]] static constexpr Chain emptied(const Chain& chain) {
    Chain result(chain.is_exact_ ? chain.view_ : row_major(chain.shape()));
    result.parts_ = chain.parts_;
    return result;
  }
  /// An operation that moves or drops axes and does nothing else: it is done on strides that number the axes.
  template <class Op>
  [[nodiscard]] constexpr Chain moved(const Op& op) const {
    Chain result = *this;
    result.view_ = op(view_);
    result.reorder(op(Layout{shape(), natural_order(), 0}).strides);
    return result;
  }
  /// An operation that keeps part of an axis: it is done on that axis alone with stride 1, and read off.
  template <class Op>
  [[nodiscard]] constexpr Chain taken(const char* operation, Index axis, const Op& op) const {
    Chain result = *this;
    result.view_ = op(view_);
    const std::size_t d = wrap_axis(operation, axis, shape());
    Layout counted{shape(), Dims::filled(rank(), 0), 0};
    counted.strides[d] = 1;
    const Layout part = op(counted);
    if (parts_) result.parts_->take(d, part.offset, part.strides[d], part.shape[d]);
    if (is_empty(result.view_)) return emptied(result);
    if (result.atoms_.take(d, part.offset, part.strides[d], part.shape[d])) return result;
    const ChainCut cut{operation, shape(), result.shape(), d, d, {}, {}};
    result.is_exact_ = false;
    result.view_ = {result.shape(), Dims::filled(rank(), 0), 0};
    if (!result.atoms_.fuse(cut, d, d)) return settled().taken(operation, axis, op);
    result.atoms_.take(d, part.offset, part.strides[d], part.shape[d]);
    return result;
  }
  [[nodiscard]] constexpr Chain regrouped(const Dims& target) const {
    Chain result = *this;
    std::optional<Layout> layout;
    if (is_exact_) layout = tenstride::try_view(view_, target);
    result.is_exact_ = layout.has_value();
    result.view_ = layout.value_or(Layout{target, Dims::filled(target.size(), 0), 0});
    if (parts_) result.parts_->reshape(shape(), target);
    if (is_empty(view_)) return emptied(result);
    if (!result.atoms_.reshape(shape(), target)) return settled().regrouped(target);
    return result;
  }
  [[nodiscard]] constexpr std::optional<Layout> try_merge() const {
    if (is_exact_) return view_;
    return atoms_.try_merge(shape());
  }
  [[nodiscard]] constexpr ChainPlan copied_plan() const {
    ChainPlan result{copies_, row_major(shape())};
    result.copies.push_back(is_empty(view_) ? ChainCopy{view_, row_major(shape())} : atoms_.final_copy());
    return result;
  }
  /// The chain after one copy that lays each block in a row.
  [[nodiscard]] constexpr Chain settled() const {
    Chain result = *this;
    result.is_exact_ = false;
    result.cuts_ = cuts();
    result.copies_.push_back(result.atoms_.settle());
    return result;
  }

  Layout view_;           ///< PyTorch's own layout while is_exact_; otherwise only the shape means anything
  bool is_exact_ = true;  ///< every step so far was a view in PyTorch
  detail::AxisAtoms atoms_;
  std::vector<ChainCopy> copies_;           ///< made before the memory is there that the atoms count in
  std::vector<ChainCut> cuts_;              ///< that those copies are for
  std::optional<detail::AxisParts> parts_;  ///< where what becomes of the axes is followed
};

TENSTRIDE_API std::string to_string(const Chain& chain);

}  // namespace tenstride
