// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/indexing.hpp"

#include "base/message.hpp"
#include "base/scalar_checked.hpp"
#include "elementwise/accumulate.hpp"
#include "ledger/watch.hpp"
#include "ops/index_parts.hpp"
#include "tensor/stored_elements.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/ops/scatter.hpp"

namespace tenstride {
namespace {

using detail::Parts;
using detail::Selection;

/// The two parts of a result's layout: the axes of the lists, and those of a box.
detail::Boxes boxes_of(const Selection& selection, const Layout& result, const Tensor& starts) {
  detail::Boxes boxes{{starts.data<Index>(), static_cast<std::size_t>(starts.numel())},
                      {{}, {}, result.offset},
                      {},
                      selection.box};
  for (std::size_t d = 0; d < result.rank(); ++d) {
    const bool is_list = d >= selection.lists_at && d < selection.lists_at + selection.lists.size();
    Layout& part = is_list ? boxes.grid : boxes.box;
    part.shape.push_back(result.shape[d]);
    part.strides.push_back(result.strides[d]);
  }
  return boxes;
}

/// The layout with the lists' axes before those of a box.
Layout boxes_first(const Selection& selection, const Layout& source) {
  std::vector<Index> order;
  const auto begin = static_cast<Index>(selection.lists_at);
  const auto end = begin + static_cast<Index>(selection.lists.size());
  for (Index d = begin; d < end; ++d) order.push_back(d);
  for (Index d = 0; d < static_cast<Index>(source.rank()); ++d) {
    if (d < begin || d >= end) order.push_back(d);
  }
  return permute(source, Dims(order));
}

/// The value with axes of size 1 in front of the target's rank taken off, as assignment in PyTorch does.
Tensor trimmed(const Tensor& value, std::size_t rank) {
  Tensor result = value;
  while (result.layout().rank() > rank && result.shape()[0] == 1) result = result.select(0, 0);
  return result;
}

bool is_one_mask(std::span<const TensorIndex> entries) {
  std::size_t masks = 0;
  for (const TensorIndex& entry : entries) {
    const Tensor* const index = std::get_if<Tensor>(&entry.value());
    if (index == nullptr) continue;
    if (!detail::is_mask(*index)) return false;
    ++masks;
  }
  return masks == 1;
}

/// PyTorch writes one number under one mask by itself, `masked_fill_`: converted and checked as a number is.
bool is_masked_fill(const Tensor& value, std::span<const TensorIndex> entries) {
  return value.numel() == 1 && is_one_mask(entries);
}

/// Refuses what PyTorch's `masked_fill_` of one number does.
void require_fillable(const Tensor& self, const Tensor& value, std::span<const TensorIndex> entries) {
  if (self.has_memory() && value.has_memory()) {
    detail::require_element("index_put_", value.item(), self.dtype());
  }
  for (const TensorIndex& entry : entries) {
    const Tensor* const mask = std::get_if<Tensor>(&entry.value());
    if (mask == nullptr) continue;
    detail::require_no_partial_overlap("index_put_", self, *mask);
    if (mask->dtype() == DType::bool_ || mask->dim() == 0) continue;
    throw RuntimeError(detail::message("index_put_: a mask of dtype ", name(mask->dtype()),
                                       " must be bool where one number is written (masked_fill_ only supports"
                                       " boolean masks); convert it with .to(torch.bool)"));
  }
}

/// Refuses values and indices that share memory with what is written to, as far as PyTorch sees it.
void require_apart(const Tensor& written, const Tensor& value, std::span<const TensorIndex> entries) {
  detail::require_no_overlap("index_put_", written, value);
  for (const TensorIndex& entry : entries) {
    const Tensor* const index = std::get_if<Tensor>(&entry.value());
    if (index != nullptr && index->dim() > 0) detail::require_no_overlap("index_put_", written, *index);
  }
}

/// The value as elements of self, ready to be written.
Tensor ready_value(const Tensor& self, const Tensor& value, bool is_fill) {
  if (value.dtype() != self.dtype() && !is_fill) {
    throw RuntimeError(detail::message("index_put_: the value's dtype ", name(value.dtype()),
                                       " must be the tensor's, ", name(self.dtype()),
                                       "; convert it with .to(dtype)"));
  }
  if (!value.has_memory() && self.has_memory()) {
    throw RuntimeError(detail::message("index_put_: a value on ", name(value.device()),
                                       " has no elements to be copied (shape ", value.shape(), ")"));
  }
  return detail::stored_as(self, self.has_memory() ? value.to(self.dtype()) : value);
}

/// Writes a value into a view, as `x[1:3] = value`. A single element may be one of the view's own.
void assign(Tensor view, const Tensor& value) {
  if (value.shape() == view.shape()) {
    view.copy_(value);
  } else if (value.dim() == 0) {
    view.copy_(detail::apart_from(view, value));
  } else {
    const Tensor source = trimmed(value, view.layout().rank());
    view.copy_(source.shape() == view.shape() ? source : source.broadcast_to(view.shape()));
  }
}

/// The one entry of `x[True]` or `x[False]`; else nothing.
std::optional<bool> only_bool(std::span<const TensorIndex> entries) {
  if (entries.size() != 1) return std::nullopt;
  const bool* const keep = std::get_if<bool>(&entries[0].value());
  return keep == nullptr ? std::nullopt : std::optional(*keep);
}

bool are_basic(std::span<const TensorIndex> entries) {
  return std::all_of(entries.begin(), entries.end(),
                     [](const TensorIndex& entry) { return entry.is_basic(); });
}

/// The value seen as the indexed shape.
Tensor expanded(const Tensor& value, const Dims& target) {
  bool fits = value.layout().rank() <= target.size();
  for (std::size_t i = 1; fits && i <= value.layout().rank(); ++i) {
    const Index size = value.size(-static_cast<Index>(i));
    fits = size == 1 || size == target[target.size() - i];
  }
  if (!fits) {
    throw ShapeError(detail::message("index_put_: a value of shape ", value.shape(),
                                     " must broadcast to the indexed shape ", target),
                     value.shape(), target);
  }
  return value.expand(target);
}

/// Writes the value where lists and masks say, or adds it.
void put(Tensor& self, const Parts& parts, std::span<const TensorIndex> indices, const Tensor& value,
         Accumulate accumulate) {
  const bool is_fill = accumulate == Accumulate::no && is_masked_fill(value, indices);
  if (is_fill) {
    require_fillable(self, value, indices);
  } else {
    require_apart(with_layout(self, parts.view), value, indices);
  }
  const Selection selection = detail::select_lists(parts);
  Tensor source = expanded(ready_value(self, value, is_fill), selection.source.shape);
  static_cast<void>(self.mutable_storage_data());  // refuses a read-only tensor also where nothing is written
  const detail::PickedMask* const mask = parts.only_mask();
  if (accumulate == Accumulate::yes) {
    const Layout box = boxes_first(selection, source.layout());
    source = with_layout(source, box).contiguous();
  }
  detail::copy_by(mask != nullptr ? "mask" : "boxes", self, source, source.numel(), [&] {
    if (detail::is_forecast(self, parts)) return;
    if (accumulate == Accumulate::yes) {
      const Tensor starts = detail::read_starts(parts, selection.lists, self.shape());
      const std::span places(starts.data<Index>(), static_cast<std::size_t>(starts.numel()));
      detail::accumulate_boxes(self, source, places, selection.box);
    } else if (mask != nullptr) {
      mask->elements.write(self, parts.masked(*mask), source, source.layout());
    } else {
      const Tensor starts = detail::read_starts(parts, selection.lists, self.shape());
      detail::scatter_boxes(self, source, boxes_of(selection, source.layout(), starts));
    }
  });
}

}  // namespace

Tensor Tensor::index(std::initializer_list<TensorIndex> indices, Caller caller) const {
  return index(std::span<const TensorIndex>(indices.begin(), indices.size()), caller);
}

Tensor Tensor::index(std::span<const TensorIndex> indices, Caller caller) const {
  if (are_basic(indices)) {
    return viewed([&] {
      return detail::index_by(
          layout_, indices, NegativeStep::view,
          [](const TensorIndex& entry) -> const auto& { return entry.value(); });
    });
  }
  const detail::OperationScope scope("index", caller);
  const Parts parts = detail::parse_index(*this, indices);
  if (parts.picked.empty()) return with_layout(*this, parts.view);
  const Selection selection = detail::select_lists(parts);
  const Layout layout = detail::result_layout(selection, parts.picked);
  Tensor result = empty_strided(layout.shape, layout.strides, {.dtype = dtype_, .device = device()});
  const detail::PickedMask* const mask = parts.only_mask();
  detail::copy_by(mask != nullptr ? "mask" : "boxes", result, *this, result.numel(), [&] {
    if (detail::is_forecast(*this, parts)) return;
    if (mask != nullptr) {
      mask->elements.read(result.mutable_storage_data(), *this, parts.masked(*mask));
      return;
    }
    const Tensor starts = detail::read_starts(parts, selection.lists, shape());
    detail::gather_boxes(result, *this, boxes_of(selection, layout, starts));
  });
  return result;
}

Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Tensor& value, Caller caller) {
  return index_put_(std::span<const TensorIndex>(indices.begin(), indices.size()), value, caller);
}

Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value, Caller caller) {
  const detail::OperationScope scope("index_put_", caller);
  const std::span<const TensorIndex> entries(indices.begin(), indices.size());
  const Parts parts = detail::parse_index(*this, entries);
  if (parts.picked.empty()) {
    Tensor view = with_layout(*this, parts.view);
    detail::require_distinct_elements("index_put_", view);
    view.fill_(value);
    return *this;
  }
  return index_put_(entries, full({}, value, {.dtype = dtype_, .device = device()}));
}

Tensor& Tensor::index_put_(std::span<const TensorIndex> indices, const Tensor& value, Caller caller) {
  const detail::OperationScope scope("index_put_", caller);
  if (const std::optional<bool> keep = only_bool(indices)) {
    if (*keep) assign(unsqueeze(0), value);
    return *this;
  }
  const Parts parts = detail::parse_index(*this, indices);
  if (parts.picked.empty()) {
    assign(with_layout(*this, parts.view), value);
    return *this;
  }
  put(*this, parts, indices, trimmed(value, detail::select_lists(parts).source.shape.size()), Accumulate::no);
  return *this;
}

Tensor& index_put_(Tensor& x, std::span<const TensorIndex> indices, const Tensor& values,
                   Accumulate accumulate, Caller caller) {
  const detail::OperationScope scope("index_put_", caller);
  const Parts parts = detail::parse_index(x, indices);
  if (!parts.picked.empty()) {
    put(x, parts, indices, values, accumulate);
  } else if (accumulate == Accumulate::yes) {
    Tensor view = with_layout(x, parts.view);
    add_(view, values);
  } else {
    assign(with_layout(x, parts.view), values);
  }
  return x;
}

Tensor index_put(const Tensor& x, std::span<const TensorIndex> indices, const Tensor& values,
                 Accumulate accumulate, Caller caller) {
  const detail::OperationScope scope("index_put", caller);
  Tensor result = x.clone();
  index_put_(result, indices, values, accumulate);
  return result;
}

}  // namespace tenstride
