// SPDX-License-Identifier: Apache-2.0
#include "tenstride/indexing.hpp"

#include <cstring>

#include "message.hpp"
#include "ops_gather.hpp"
#include "tenstride/copy.hpp"
#include "tenstride/elementwise.hpp"

namespace tenstride {
namespace {

constexpr std::string_view operation = "index";

/// An axis of the view that remains after the basic entries, picked by a list of positions along it.
struct Picked {
  std::size_t axis = 0;
  /// The axis of the indexed tensor, for messages; of a bool's new axis it is the next one.
  std::size_t source_axis = 0;
  /// Integers of any type; masks are already lists.
  Tensor index;
};

/// `x[...]` taken apart: basic entries give the view, the rest picks among its axes.
struct Parts {
  Layout view;
  std::vector<Picked> picked;
};

bool is_mask(const Tensor& index) {
  return index.dtype() == DType::bool_ || index.dtype() == DType::uint8;  // uint8 by PyTorch's old rule
}

/// How many axes of the indexed tensor an entry stands for; an ellipsis counts nothing here.
std::size_t axes_of(const TensorIndex::Value& entry) {
  if (const Tensor* index = std::get_if<Tensor>(&entry)) {
    return is_mask(*index) ? index->layout().rank() : 1;
  }
  return std::holds_alternative<Index>(entry) || std::holds_alternative<Slice>(entry) ? 1 : 0;
}

void require_readable(const Tensor& index, std::string_view what) {
  if (!index.is_meta()) return;
  throw RuntimeError(detail::message(operation, ": ", what,
                                     " on meta has no elements to be read, and the result depends on them"
                                     " (shape ",
                                     index.shape(), ")"));
}

void require_index_type(const Tensor& index) {
  if (is_integer(index.dtype()) || index.dtype() == DType::bool_) return;
  throw IndexError(detail::message(operation, ": a tensor of dtype ", name(index.dtype()),
                                   " must be of integers or bool to be an index"),
                   0, 0, 0);
}

[[noreturn]] void throw_mask_shape(const Tensor& mask, std::size_t mask_axis, std::size_t axis,
                                   const Dims& shape) {
  const Index given = mask.shape()[mask_axis];
  throw IndexError(
      detail::message(operation, ": a mask of shape ", mask.shape(), " must have size ", shape[axis],
                      " on its axis ", mask_axis, " to mask axis ", axis, " (shape ", shape, ")"),
      given, shape[axis], shape[axis]);
}

/// The indexes of a mask's non-zero elements, one list for each axis, in row-major order.
std::vector<Tensor> nonzero(const Tensor& mask) {
  const Tensor bytes = mask.to(DType::bool_).contiguous();
  const auto* const begin = static_cast<const unsigned char*>(bytes.data_ptr());
  const Index count = bytes.numel();
  const auto* const end = begin + count;
  const auto is_set = [](unsigned char byte) { return byte != 0; };
  const auto found = static_cast<Index>(std::count_if(begin, end, is_set));
  const std::size_t rank = mask.layout().rank();
  std::vector<Tensor> lists;
  std::vector<Index*> rows;
  for (std::size_t d = 0; d < rank; ++d) {
    lists.push_back(empty({found}, {.dtype = DType::int64}));
    rows.push_back(lists.back().mutable_data<Index>());
  }
  Index n = 0;
  for (Index at = 0; n < found; ++at) {
    at = std::find_if(begin + at, end, is_set) - begin;
    Index rest = at;
    for (std::size_t d = rank; d-- > 0;) {
      rows[d][n] = rest % mask.shape()[d];
      rest /= mask.shape()[d];
    }
    ++n;
  }
  return lists;
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
    for (Tensor& list : nonzero(mask)) {
      basic_.emplace_back(Slice{});
      parts_.picked.push_back({axis_++, source_++, std::move(list)});
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

Dims broadcast_lists(const std::vector<Picked>& picked) {
  Dims result = picked[0].index.shape();
  for (const Picked& one : picked) {
    const Dims& shape = one.index.shape();
    const std::size_t common = std::min(shape.size(), result.size());
    for (std::size_t i = 1; i <= common; ++i) {
      const Index a = result[result.size() - i];
      const Index b = shape[shape.size() - i];
      if (a == b || a == 1 || b == 1) continue;
      throw IndexError(detail::message(operation, ": index tensors of shapes ", result, " and ", shape,
                                       " must broadcast together; axis -", i, " differs"),
                       b, a, a);
    }
    result = broadcast_shapes(result, shape);
  }
  return result;
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
  count_elements(result.source.shape, operation);
  return result;
}

/// The layout that `to(int64)` would give, without the elements.
Tensor like_int64(const Tensor& index) {
  return empty_like(index, {.dtype = DType::int64, .device = Device::meta});
}

/// PyTorch lets its element-wise rule lay the result out: the source and the index tensors decide.
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

[[noreturn]] void throw_huge_index(std::uint64_t given, std::size_t axis, const Dims& shape) {
  throw IndexError(
      detail::message(operation, ": index ", given, " must fit a signed 64-bit integer, on axis ", axis,
                      " (shape ", shape, ")"),
      INT64_MAX, 0, INT64_MAX);
}

/// For each element of the broadcast lists the distance of its box from the view's first, in elements.
std::vector<Index> read_starts(const Parts& parts, const Dims& lists, const Dims& shape) {
  std::vector<Index> starts(static_cast<std::size_t>(count_elements(lists, operation)), 0);
  for (const Picked& one : parts.picked) {
    const Index size = parts.view.shape[one.axis];
    const Index stride = parts.view.strides[one.axis];
    const bool is_unsigned_long = one.index.dtype() == DType::uint64;
    const Tensor list = one.index.expand(lists).to(DType::int64).contiguous();
    const Index* const values = list.data<Index>();
    for (std::size_t k = 0; k < starts.size(); ++k) {
      const Index at = values[k];
      if (is_unsigned_long && at < 0)
        throw_huge_index(static_cast<std::uint64_t>(at), one.source_axis, shape);
      if (at < -size || at >= size) detail::throw_index_range(operation, at, one.source_axis, shape);
      starts[k] += (at < 0 ? at + size : at) * stride;
    }
  }
  return starts;
}

/// The two parts of a result's layout: the axes of the lists, and those of a box.
detail::Boxes boxes_of(const Selection& selection, const Layout& result, std::span<const Index> starts) {
  detail::Boxes boxes{starts, {{}, {}, result.offset}, {}, selection.box};
  for (std::size_t d = 0; d < result.rank(); ++d) {
    const bool is_list = d >= selection.lists_at && d < selection.lists_at + selection.lists.size();
    Layout& part = is_list ? boxes.grid : boxes.box;
    part.shape.push_back(result.shape[d]);
    part.strides.push_back(result.strides[d]);
  }
  return boxes;
}

/// Without elements there are no boxes, and the lists are not looked at; PyTorch looks.
bool is_forecast(const Tensor& self, const Parts& parts) {
  if (self.is_meta()) return true;
  for (const Picked& one : parts.picked) require_readable(one.index, "an index");
  return false;
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
    if (!is_mask(*index)) return false;
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
  if (value.is_meta() && !self.is_meta()) {
    throw RuntimeError(detail::message("index_put_: a value on meta has no elements to be copied (shape ",
                                       value.shape(), ")"));
  }
  Tensor result = value.shares_storage(self) ? value.clone() : value;
  if (!self.is_meta()) result = result.to(self.dtype());
  // Stored as the tensor stores: a pending conjugation of self is undone on the way in.
  if (self.is_conj() != result.is_conj()) {
    result = (self.is_conj() ? result.conj() : result).resolve_conj();
  }
  return result;
}

/// The view where every entry is basic, without taking any heap; nothing where an entry picks (or there are
/// very many).
std::optional<Layout> basic_view(const Layout& layout, std::span<const TensorIndex> entries) {
  std::array<BasicIndex, 16> basic;
  if (entries.size() > basic.size()) return std::nullopt;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].is_basic()) return std::nullopt;
    std::visit(
        [&entry = basic[i]]<typename Value>(const Value& value) {
          if constexpr (!std::same_as<Value, bool> && !std::same_as<Value, Tensor>) entry = value;
        },
        entries[i].value());
  }
  return index(layout, std::span<const BasicIndex>(basic.data(), entries.size()));
}

}  // namespace

Tensor Tensor::index(std::initializer_list<TensorIndex> indices) const {
  return index(std::span<const TensorIndex>(indices.begin(), indices.size()));
}

Tensor Tensor::index(std::span<const TensorIndex> indices) const {
  if (const std::optional<Layout> view = basic_view(layout_, indices)) return with_layout(*view);
  const Parts parts = Taker(*this, indices).parts();
  if (parts.picked.empty()) return with_layout(parts.view);
  const Selection selection = select_lists(parts);
  const Layout layout = result_layout(selection, parts.picked);
  Tensor result = empty_strided(layout.shape, layout.strides, {.dtype = dtype_, .device = device()});
  if (is_forecast(*this, parts)) return result;
  const std::vector<Index> starts = read_starts(parts, selection.lists, shape());
  detail::gather_boxes(result, *this, boxes_of(selection, layout, starts));
  return result;
}

Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Tensor& value) {
  return index_put_(std::span<const TensorIndex>(indices.begin(), indices.size()), value);
}

Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value) {
  const std::span<const TensorIndex> entries(indices.begin(), indices.size());
  const Parts parts = Taker(*this, entries).parts();
  if (parts.picked.empty()) {
    with_layout(parts.view).fill_(value);
    return *this;
  }
  return index_put_(entries, full({}, value, {.dtype = dtype_, .device = device()}));
}

Tensor& Tensor::index_put_(std::span<const TensorIndex> indices, const Tensor& value) {
  const Parts parts = Taker(*this, indices).parts();
  if (parts.picked.empty()) {
    with_layout(parts.view).copy_(trimmed(value, parts.view.rank()));
    return *this;
  }
  const Selection selection = select_lists(parts);
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
  if (is_forecast(*this, parts)) return *this;
  const std::vector<Index> starts = read_starts(parts, selection.lists, shape());
  detail::scatter_boxes(*this, source, boxes_of(selection, source.layout(), starts));
  return *this;
}

}  // namespace tenstride
