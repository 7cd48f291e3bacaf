// SPDX-License-Identifier: Apache-2.0
#include "tenstride/einops/rearrange.hpp"

#include "base/message.hpp"
#include "einops/rearrange_parts.hpp"
#include "memory/watch.hpp"
#include "pattern/parser.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/copy/lazy.hpp"

/// einops' verbs: a pattern, bound to a shape, on a chain; and what they do to lists.
namespace tenstride {
namespace detail {

void require_verb(const Pattern& pattern, PatternVerb wanted) {
  if (pattern.verb() == wanted) return;
  throw ValueError(message(name(wanted), ": the Pattern \"", pattern.text(), "\" is made for ",
                           name(pattern.verb()), "; make it with PatternVerb::", name(wanted)));
}

Tensor rearranged(const Tensor& x, const Pattern& pattern, const AxisSizes& sizes, CopyRule copy,
                  const Caller& caller) {
  const BoundPattern bound = pattern.bind(x.shape(), sizes);
  if (copy != CopyRule::always) {
    if (std::optional<Layout> layout = bound.try_view(x.layout())) return with_layout(x, *std::move(layout));
  }
  return materialize_chain(x, bound.apply(Chain(x.layout())), copy, name(pattern.verb()), caller);
}

DType joined_dtype(TensorList list, std::string_view operation) {
  if (list.empty()) throw ValueError(message(operation, ": the list must hold a tensor"));
  DType dtype = list[0].dtype();
  for (std::size_t i = 1; i < list.size(); ++i) {
    const std::optional<DType> both = promote_types(dtype, list[i].dtype());
    if (!both) {
      throw RuntimeError(message(operation, ": tensor ", i, " is ", name(list[i].dtype()),
                                 ", which has no common type with ", name(dtype)));
    }
    if (list[i].device() != list[0].device()) {
      throw RuntimeError(message(operation, ": tensor ", i, " is on ", name(list[i].device()),
                                 ", tensor 0 on ", name(list[0].device()), "; all must be on one device"));
    }
    dtype = *both;
  }
  return dtype;
}

void require_leave_to_copy(TensorList list, CopyRule copy, std::string_view operation) {
  if (copy != CopyRule::never) return;
  throw ValueError(message(operation, ": copy = never, but a list of ", list.size(),
                           list.size() == 1 ? " tensor" : " tensors",
                           " is always copied into one; allow it with copy = if_needed"));
}

void require_equal_shapes(TensorList list, std::string_view operation) {
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (list[i].shape() == list[0].shape()) continue;
    throw ShapeError(message(operation, ": tensor ", i, " has shape ", list[i].shape(),
                             " and must have tensor 0's, ", list[0].shape()),
                     list[i].shape(), list[0].shape());
  }
}

}  // namespace detail

namespace {

using detail::message;

/// The result, seen as the list of its inputs: each tensor is written to its own part, so that nothing is
/// stacked before.
Tensor apply(TensorList list, const Pattern& pattern, const AxisSizes& sizes) {
  const std::string_view operation = name(pattern.verb());
  const DType dtype = detail::joined_dtype(list, operation);
  detail::require_equal_shapes(list, operation);
  Dims shape = list[0].shape();
  shape.insert(0, static_cast<Index>(list.size()));
  const BoundPattern bound = pattern.bind(shape, sizes);
  const Tensor result = empty(bound.shape, {.dtype = dtype, .device = list[0].device()});
  if (result.numel() == 0) return result;
  const Layout parts = row_major(bound.parts);
  const detail::PartsBySource by_source(bound);
  for (Index n = 0; n < by_source.leading; ++n) {
    Tensor dst = with_layout(result, by_source.place(parts, n));
    const Tensor& x = list[detail::at(n)];
    copy_elements(dst, with_layout(x, by_source.source(x.layout(), dst.layout())));
  }
  return result;
}

}  // namespace

Tensor rearrange(const Tensor& x, std::string_view pattern, const AxisSizes& sizes, CopyRule copy,
                 Caller caller) {
  return detail::rearranged(x, *Pattern::cached(pattern, PatternVerb::rearrange), sizes, copy, caller);
}
Tensor rearrange(const Tensor& x, const Pattern& pattern, const AxisSizes& sizes, CopyRule copy,
                 Caller caller) {
  detail::require_verb(pattern, PatternVerb::rearrange);
  return detail::rearranged(x, pattern, sizes, copy, caller);
}
Tensor rearrange(TensorList list, std::string_view pattern, const AxisSizes& sizes, CopyRule copy,
                 Caller caller) {
  const detail::OperationScope scope("rearrange", caller);
  detail::require_leave_to_copy(list, copy, "rearrange");
  return apply(list, *Pattern::cached(pattern, PatternVerb::rearrange), sizes);
}

Tensor repeat(const Tensor& x, std::string_view pattern, const AxisSizes& sizes, CopyRule copy,
              Caller caller) {
  return detail::rearranged(x, *Pattern::cached(pattern, PatternVerb::repeat), sizes, copy, caller);
}
Tensor repeat(const Tensor& x, const Pattern& pattern, const AxisSizes& sizes, CopyRule copy, Caller caller) {
  detail::require_verb(pattern, PatternVerb::repeat);
  return detail::rearranged(x, pattern, sizes, copy, caller);
}
Tensor repeat(TensorList list, std::string_view pattern, const AxisSizes& sizes, CopyRule copy,
              Caller caller) {
  const detail::OperationScope scope("repeat", caller);
  detail::require_leave_to_copy(list, copy, "repeat");
  return apply(list, *Pattern::cached(pattern, PatternVerb::repeat), sizes);
}

Packed pack(TensorList tensors, std::string_view pattern, CopyRule copy, Caller caller) {
  const detail::OperationScope scope("pack", caller);
  detail::require_leave_to_copy(tensors, copy, "pack");
  const PackPattern places = parse_pack_pattern("pack", pattern);
  const DType dtype = detail::joined_dtype(tensors, "pack");
  Packed result;
  Dims shape;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Dims& own = tensors[i].shape();
    const detail::PatternPlace place{"pack", pattern};
    if (own.size() < places.before + places.after) {
      detail::refuse_pattern(place, 0,
                             message("describes at least ", places.before + places.after, " axes, tensor ", i,
                                     " has ", own.size(), " (shape ", own, ")"));
    }
    const std::span<const Index> sizes = own;
    result.shapes.emplace_back(sizes.subspan(places.before, own.size() - places.before - places.after));
    Dims flat(sizes.first(places.before));
    flat.push_back(count_elements(result.shapes.back(), "pack"));
    for (const Index size : sizes.last(places.after)) flat.push_back(size);
    if (i == 0) {
      shape = flat;
      continue;
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (d == places.before || flat[d] == shape[d]) continue;
      throw ShapeError(
          message("pack: tensor ", i, " of shape ", own, " and tensor 0 of shape ", tensors[0].shape(),
                  " must agree but for the axes of \"*\" (pattern \"", pattern, "\")"),
          own, tensors[0].shape());
    }
    shape[places.before] = checked_add(shape[places.before], flat[places.before], "pack");
  }
  result.tensor = empty(shape, {.dtype = dtype, .device = tensors[0].device()});
  const auto axis = static_cast<Index>(places.before);
  Index start = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Index length = count_elements(result.shapes[i]);
    Tensor part = result.tensor.narrow(axis, start, length);
    start += length;
    if (part.numel() == 0) continue;
    // Splitting an axis is always a view: so the part takes the tensor's shape, not the tensor the part's.
    part = part.view(tensors[i].shape());
    copy_elements(part, tensors[i]);
  }
  return result;
}

std::vector<Tensor> unpack(const Tensor& x, const std::vector<Dims>& shapes, std::string_view pattern) {
  const PackPattern places = parse_pack_pattern("unpack", pattern);
  const detail::PatternPlace place{"unpack", pattern};
  const auto refuse = [&](const std::string& what) { detail::refuse_pattern(place, 0, what); };
  if (x.layout().rank() != places.before + 1 + places.after) {
    refuse(message("describes ", places.before + 1 + places.after, " axes, the tensor has ", x.dim(),
                   " (shape ", x.shape(), ")"));
  }
  const Index length = x.shape()[places.before];
  Index known = 0;
  std::optional<std::size_t> open;  // the shape with a -1
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const bool is_open = std::find(shapes[i].begin(), shapes[i].end(), -1) != shapes[i].end();
    if (is_open && open)
      refuse(message("is given -1 in shapes ", *open, " and ", i, "; one of all sizes may be open"));
    if (is_open) open = i;
    if (!is_open) known = checked_add(known, count_elements(shapes[i], "unpack"), "unpack");
  }
  if (known > length || (!open && known != length)) {
    refuse(message("has \"*\" where the tensor has size ", length, "; the shapes given make ",
                   open ? "at least " : "", known, " (shape ", x.shape(), ")"));
  }
  std::vector<Tensor> result;
  Index start = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Index part = open == i ? length - known : count_elements(shapes[i], "unpack");
    const Dims own = infer_shape(shapes[i], part, {part}, "unpack");
    Dims shape = x.shape();
    shape.erase(places.before);
    for (std::size_t d = 0; d < own.size(); ++d) shape.insert(places.before + d, own[d]);
    result.push_back(x.narrow(static_cast<Index>(places.before), start, part).view(shape));
    start += part;
  }
  return result;
}

}  // namespace tenstride
