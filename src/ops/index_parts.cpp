// SPDX-License-Identifier: Apache-2.0
#include "ops/index_parts.hpp"

#include <atomic>

#include "base/message.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/elementwise/elementwise.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::detail {
namespace {

constexpr std::string_view index_operation = "index";

/// How many axes of the indexed tensor an entry stands for; an ellipsis counts nothing here.
std::size_t axes_of(const TensorIndex::Value& entry) {
  if (const Tensor* index = std::get_if<Tensor>(&entry)) {
    return is_mask(*index) ? index->layout().rank() : 1;
  }
  return std::holds_alternative<Index>(entry) || std::holds_alternative<Slice>(entry) ? 1 : 0;
}

void require_readable(const Tensor& index, std::string_view what) {
  if (index.has_memory()) return;
  throw RuntimeError(detail::message(index_operation, ": ", what, " on ", name(index.device()),
                                     " has no elements to be read, and the result depends on them"
                                     " (shape ",
                                     index.shape(), ")"));
}

/// PyTorch's lists of positions are of int64 or int32 alone; a single integer may be of any type.
void require_index_type(const Tensor& index) {
  const bool is_single = index.dim() == 0 && is_integer(index.dtype());
  if (is_single || is_mask(index) || index.dtype() == DType::int64 || index.dtype() == DType::int32) return;
  throw IndexError(detail::message(index_operation, ": a tensor of dtype ", name(index.dtype()),
                                   " must be of int64, int32, bool or uint8 to be an index (tensors used as"
                                   " indices must be long, int, byte or bool tensors)"),
                   0, 0, 0);
}

[[noreturn]] void throw_mask_shape(const Tensor& mask, std::size_t mask_axis, std::size_t axis,
                                   const Dims& shape) {
  const Index given = mask.shape()[mask_axis];
  throw IndexError(
      detail::message(index_operation, ": a mask of shape ", mask.shape(), " must have size ", shape[axis],
                      " on its axis ", mask_axis, " to mask axis ", axis, " (shape ", shape, ")"),
      given, shape[axis], shape[axis]);
}

/// What one entry adds: the basic entries that stand in its place, and the lists that pick among them.
class Taker {
 public:
  Taker(const Tensor& self, std::span<const TensorIndex> entries) : shape_(self.shape()) {
    std::size_t named = 0;
    for (const TensorIndex& entry : entries) named += axes_of(entry.value());
    if (named > shape_.size()) detail::throw_too_many_indices(named, shape_);
    left_ = shape_.size() - named;
    for (const TensorIndex& entry : entries) {
      std::visit([this](const auto& value) { take(value); }, entry.value());
    }
    parts_.view = index(self.layout(), basic_);
  }

  Parts parts() && { return std::move(parts_); }

 private:
  void take(Index at) {
    basic_.emplace_back(at);
    ++source_;
  }
  void take(const Slice& slice) {
    basic_.emplace_back(slice);
    ++source_;
    ++axis_;
  }
  void take(NewAxis) {
    basic_.emplace_back(NewAxis{});
    ++axis_;
  }
  void take(Ellipsis) {
    basic_.emplace_back(Ellipsis{});
    if (has_ellipsis_) return;  // the second one is refused with the basic entries
    has_ellipsis_ = true;
    source_ += left_;
    axis_ += left_;
  }
  /// A new axis of size 1, of which index 0 is taken once, or not at all.
  void take(bool keep) {
    basic_.emplace_back(NewAxis{});
    Tensor list = empty({keep ? 1 : 0}, {.dtype = DType::int64});
    parts_.picked.push_back({axis_++, source_, list.zero_()});
  }
  void take(const Tensor& index) {
    require_index_type(index);
    if (is_mask(index)) {
      require_readable(index, "a mask");
      take_mask(index);
    } else if (index.dim() == 0) {
      require_readable(index, "an index");
      take(index.item().to<Index>());
    } else {
      basic_.emplace_back(Slice{});
      parts_.picked.push_back({axis_++, source_++, index});
    }
  }
  void take_mask(const Tensor& mask) {
    if (mask.dim() == 0) return take(mask.item().to<bool>());
    for (std::size_t d = 0; d < mask.layout().rank(); ++d) {
      if (mask.shape()[d] != shape_[source_ + d]) throw_mask_shape(mask, d, source_ + d, shape_);
    }
    const std::size_t rank = mask.layout().rank();
    parts_.masks.push_back({SetElements(mask), axis_, rank});
    const Tensor list =
        empty({parts_.masks.back().elements.count()}, {.dtype = DType::int64, .device = Device::meta});
    for (std::size_t d = 0; d < rank; ++d) {
      basic_.emplace_back(Slice{});
      parts_.picked.push_back({axis_++, source_++, list, parts_.masks.size() - 1});
    }
  }

  const Dims& shape_;
  std::size_t left_ = 0;
  std::size_t source_ = 0;
  std::size_t axis_ = 0;
  bool has_ellipsis_ = false;
  std::vector<BasicIndex> basic_;
  Parts parts_;
};

Dims broadcast_lists(const std::vector<Picked>& picked) {
  Dims result = picked[0].index.shape();
  for (const Picked& one : picked) {
    const Dims& shape = one.index.shape();
    const std::size_t common = std::min(shape.size(), result.size());
    for (std::size_t i = 1; i <= common; ++i) {
      const Index a = result[result.size() - i];
      const Index b = shape[shape.size() - i];
      if (a == b || a == 1 || b == 1) continue;
      throw IndexError(detail::message(index_operation, ": index tensors of shapes ", result, " and ", shape,
                                       " must broadcast together; axis -", i, " differs"),
                       b, a, a);
    }
    result = broadcast_shapes(result, shape);
  }
  return result;
}

/// The layout that `to(int64)` would give, without the elements.
Tensor like_int64(const Tensor& index) {
  return empty_like(index, {.dtype = DType::int64, .device = Device::meta});
}

/// Adds what one list contributes. Gives whether all its numbers are in range.
bool add_list(Index* starts, const Index* values, Index count, Index size, Index stride, bool is_first) {
  std::atomic<bool> fits = true;
  parallel_for(0, count, Index{1} << 15, [&](Index from, Index to) {
    bool all_fit = true;
    for (Index k = from; k < to; ++k) {
      const Index at = values[k];
      all_fit &= at >= -size && at < size;
      // Unsigned, as what does not fit may run over.
      const auto step =
          static_cast<std::uint64_t>(at < 0 ? at + size : at) * static_cast<std::uint64_t>(stride);
      starts[k] = static_cast<Index>(step + (is_first ? 0 : static_cast<std::uint64_t>(starts[k])));
    }
    if (!all_fit) fits.store(false, std::memory_order_relaxed);
  });
  return fits;
}

/// Names the first number that is out of range.
[[noreturn]] void throw_first_misfit(const Index* values, Index size, const Picked& one, const Dims& shape) {
  for (Index k = 0;; ++k) {
    const Index at = values[k];
    if (at < -size || at >= size) detail::throw_index_range(index_operation, at, one.source_axis, shape);
  }
}

}  // namespace

Layout Parts::masked(const PickedMask& mask) const {
  Layout result{{}, {}, view.offset};
  for (std::size_t d = mask.axis; d < mask.axis + mask.rank; ++d) {
    result.shape.push_back(view.shape[d]);
    result.strides.push_back(view.strides[d]);
  }
  return result;
}

const PickedMask* Parts::only_mask() const {
  if (masks.size() != 1 || masks[0].rank != view.rank() || picked.size() != view.rank()) return nullptr;
  return masks.data();
}

bool is_mask(const Tensor& index) {
  return index.dtype() == DType::bool_ || index.dtype() == DType::uint8;  // uint8 by PyTorch's old rule
}

Tensor list_index(const Nested& list) {
  const Nested* first = &list;
  while (first->is_list() && !first->items().empty()) first = &first->items().front();
  const bool is_truth = !first->is_list() && tensor(list).dtype() == DType::bool_;
  return tensor(list, {.dtype = is_truth ? DType::bool_ : DType::int64});
}

Parts parse_index(const Tensor& self, std::span<const TensorIndex> entries) {
  return Taker(self, entries).parts();
}

Selection select_lists(const Parts& parts) {
  const std::vector<Picked>& picked = parts.picked;
  Selection result;
  result.lists = broadcast_lists(picked);
  // Neighbours stay in their place; with anything between them the lists' axes come first.
  const bool adjacent = picked.back().axis - picked.front().axis + 1 == picked.size();
  result.lists_at = adjacent ? picked.front().axis : 0;
  result.box.offset = parts.view.offset;
  std::uint64_t is_picked = 0;
  for (const Picked& one : picked) is_picked |= std::uint64_t{1} << one.axis;
  for (std::size_t d = 0; d < parts.view.rank(); ++d) {
    if ((is_picked >> d & 1U) != 0) continue;
    result.box.shape.push_back(parts.view.shape[d]);
    result.box.strides.push_back(parts.view.strides[d]);
  }
  result.source = result.box;
  for (std::size_t i = 0; i < result.lists.size(); ++i) {
    result.source.shape.insert(result.lists_at + i, result.lists[i]);
    result.source.strides.insert(result.lists_at + i, 0);
  }
  count_elements(result.source.shape, index_operation);
  return result;
}

Layout result_layout(const Selection& selection, const std::vector<Picked>& picked) {
  std::vector<Layout> operands{selection.source};
  Dims shape = Dims::filled(selection.source.rank(), 1);
  std::copy(selection.lists.begin(), selection.lists.end(), shape.begin() + selection.lists_at);
  for (const Picked& one : picked) {
    const Tensor list = one.index.dtype() == DType::int64 ? one.index : like_int64(one.index);
    operands.push_back(*try_view(expand(list.layout(), selection.lists), shape));
  }
  return elementwise_layout(operands);
}

Tensor read_starts(const Parts& parts, const Dims& lists, const Dims& shape) {
  const Index count = count_elements(lists, index_operation);
  Tensor starts = empty({count}, {.dtype = DType::int64});
  Index* const out = starts.mutable_data<Index>();
  bool is_first = true;
  for (const Picked& one : parts.picked) {
    if (one.mask && one.axis != parts.masks[*one.mask].axis) continue;  // done with its first axis
    if (one.mask) {
      const PickedMask& mask = parts.masks[*one.mask];
      Tensor positions = empty(one.index.shape(), {.dtype = DType::int64});
      const bool is_alone = is_first && lists == positions.shape();
      mask.elements.list(is_alone ? out : positions.mutable_data<Index>(), parts.masked(mask));
      if (!is_alone) {
        const Tensor list = positions.expand(lists).contiguous();
        // Distances as they are: any size, in steps of one element.
        add_list(out, list.data<Index>(), count, 0, 1, is_first);
      }
    } else {
      const Index size = parts.view.shape[one.axis];
      const Tensor list = one.index.resolve_neg().expand(lists).to(DType::int64).contiguous();
      const Index* const values = list.data<Index>();
      if (!add_list(out, values, count, size, parts.view.strides[one.axis], is_first)) {
        throw_first_misfit(values, size, one, shape);
      }
    }
    is_first = false;
  }
  return starts;
}

bool is_forecast(const Tensor& self, const Parts& parts) {
  if (!self.has_memory()) return true;
  for (const Picked& one : parts.picked) {
    if (!one.mask) require_readable(one.index, "an index");
  }
  return false;
}

}  // namespace tenstride::detail
