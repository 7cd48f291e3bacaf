// SPDX-License-Identifier: Apache-2.0
#include "tenstride/indexing.hpp"

#include "copy/ledger_watch.hpp"
#include "message.hpp"
#include "ops_index_parts.hpp"
#include "tenstride/copy.hpp"

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

/// The value as elements of self, ready to be written: PyTorch converts only a single element under a mask.
Tensor ready_value(const Tensor& self, const Tensor& value, std::span<const TensorIndex> entries) {
  const bool converts = value.numel() == 1 && is_one_mask(entries);
  if (value.dtype() != self.dtype() && !converts) {
    throw RuntimeError(detail::message("index_put_: the value's dtype ", name(value.dtype()),
                                       " must be the tensor's, ", name(self.dtype()),
                                       "; convert it with .to(dtype)"));
  }
  if (!value.has_memory() && self.has_memory()) {
    throw RuntimeError(detail::message("index_put_: a value on ", name(value.device()),
                                       " has no elements to be copied (shape ", value.shape(), ")"));
  }
  Tensor result = value.shares_storage(self) ? value.clone() : value;
  if (self.has_memory()) result = result.to(self.dtype());
  // Stored as the tensor stores: a pending conjugation of self is undone on the way in.
  if (self.is_conj() != result.is_conj()) {
    result = (self.is_conj() ? result.conj() : result).resolve_conj();
  }
  return result;
}

bool are_basic(std::span<const TensorIndex> entries) {
  return std::all_of(entries.begin(), entries.end(),
                     [](const TensorIndex& entry) { return entry.is_basic(); });
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
  const Parts parts = detail::take_apart(*this, indices);
  if (parts.picked.empty()) return with_layout(parts.view);
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
  const Parts parts = detail::take_apart(*this, entries);
  if (parts.picked.empty()) {
    with_layout(parts.view).fill_(value);
    return *this;
  }
  return index_put_(entries, full({}, value, {.dtype = dtype_, .device = device()}));
}

Tensor& Tensor::index_put_(std::span<const TensorIndex> indices, const Tensor& value, Caller caller) {
  const detail::OperationScope scope("index_put_", caller);
  const Parts parts = detail::take_apart(*this, indices);
  if (parts.picked.empty()) {
    with_layout(parts.view).copy_(trimmed(value, parts.view.rank()));
    return *this;
  }
  const Selection selection = detail::select_lists(parts);
  const Dims& target = selection.source.shape;
  Tensor source = trimmed(ready_value(*this, value, indices), target.size());
  bool fits = source.layout().rank() <= target.size();
  for (std::size_t i = 1; fits && i <= source.layout().rank(); ++i) {
    const Index size = source.size(-static_cast<Index>(i));
    fits = size == 1 || size == target[target.size() - i];
  }
  if (!fits) {
    throw ShapeError(detail::message("index_put_: a value of shape ", value.shape(),
                                     " must broadcast to the indexed shape ", target),
                     value.shape(), target);
  }
  source = source.expand(target);
  static_cast<void>(mutable_storage_data());  // refuses a read-only tensor also where nothing is written
  const detail::PickedMask* const mask = parts.only_mask();
  detail::copy_by(mask != nullptr ? "mask" : "boxes", *this, source, source.numel(), [&] {
    if (detail::is_forecast(*this, parts)) return;
    if (mask != nullptr) {
      mask->elements.write(*this, parts.masked(*mask), source, source.layout());
      return;
    }
    const Tensor starts = detail::read_starts(parts, selection.lists, shape());
    detail::scatter_boxes(*this, source, boxes_of(selection, source.layout(), starts));
  });
  return *this;
}

}  // namespace tenstride
