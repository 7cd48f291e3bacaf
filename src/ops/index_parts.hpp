// SPDX-License-Identifier: Apache-2.0
// `x[...]` with tensors among the entries, parsed: a view, the lists that pick among its axes, and where
// what they pick begins.
#pragma once

#include <optional>
#include <vector>

#include "ops/gather.hpp"
#include "ops/index_mask.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/ops/indexing.hpp"

namespace tenstride::detail {

/// An axis of the view that remains after the basic entries, picked by a list of positions along it.
struct Picked {
  std::size_t axis = 0;
  /// The axis of the indexed tensor, for messages; of a bool's new axis it is the next one.
  std::size_t source_axis = 0;
  /// int64 or int32. Of a mask only the shape of its list.
  Tensor index;
  /// Which of the masks it belongs to.
  std::optional<std::size_t> mask{};
};

/// A mask and the first of the axes of the view that it stands for.
struct PickedMask {
  SetElements elements;
  std::size_t axis = 0;
  std::size_t rank = 0;
};

/// `x[...]`, parsed: basic entries give the view, the rest picks among its axes.
struct Parts {
  Layout view;
  std::vector<Picked> picked;
  std::vector<PickedMask> masks;

  /// The axes of the view that a mask stands for, from the view's first element.
  [[nodiscard]] Layout masked(const PickedMask& mask) const;
  /// The mask that alone picks single elements; nullptr where there is more to it.
  [[nodiscard]] const PickedMask* only_mask() const;
};

bool is_mask(const Tensor& index);

/// A list as an index: of bools a mask, of other numbers positions, whose fractions PyTorch drops.
/// Example: `{0, 2}` is a tensor of int64, as is the empty list.
TENSTRIDE_API Tensor list_index(const Nested& list);

/// Throws IndexError where the entries do not fit the tensor, RuntimeError where one would have to be read on
/// meta.
Parts parse_index(const Tensor& self, std::span<const TensorIndex> entries);

/// Where the picked elements lie, and what the result looks like.
struct Selection {
  /// The shape the index tensors broadcast to, and the result axis where it stands.
  Dims lists;
  std::size_t lists_at = 0;
  /// The result as a layout on the indexed storage, as PyTorch sees it: stride 0 along the lists' axes.
  Layout source;
  /// One box of the view: the axes that are not picked.
  Layout box;
};

Selection select_lists(const Parts& parts);

/// The result's layout, fresh. PyTorch lets its element-wise rule lay it out: the source and the index
/// tensors decide.
Layout result_layout(const Selection& selection, const std::vector<Picked>& picked);

/// For each element of the broadcast lists the distance of its box from the view's first, in elements: dense,
/// of int64. Throws IndexError for the first number out of range; `shape` is the indexed tensor's.
Tensor read_starts(const Parts& parts, const Dims& lists, const Dims& shape);

/// Whether nothing is to be moved: without elements there are no boxes, and the lists are not looked at.
/// PyTorch looks.
bool is_forecast(const Tensor& self, const Parts& parts);

}  // namespace tenstride::detail
