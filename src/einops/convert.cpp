// SPDX-License-Identifier: Apache-2.0
// Elements are converted to the parts of the result's axes, of which any source has a view; the result is
// seen so.
#include "tenstride/einops/convert.hpp"

#include <algorithm>
#include <span>

#include "base/message.hpp"
#include "einops/rearrange_parts.hpp"
#include "memory/watch.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/einops/rearrange.hpp"

namespace tenstride {
namespace {

using detail::message;

/// The part of the result that is all of an axis of it; nothing where that is several parts.
/// Pre: the result has elements, and several along the axis.
std::optional<Index> part_of(const BoundPattern& bound, std::size_t axis) {
  std::size_t part = 0;
  for (std::size_t d = 0; d < axis; ++d) {
    for (Index size = 1; size != bound.shape[d]; ++part) size *= bound.parts[part];
  }
  while (bound.parts[part] == 1) ++part;
  return bound.parts[part] == bound.shape[axis] ? std::optional(static_cast<Index>(part)) : std::nullopt;
}

bool has_numbers(const ScaleShift& arithmetic) {
  return arithmetic.scale.size() > 1 || arithmetic.shift.size() > 1;
}

TensorList one(const Tensor& x) {
  return std::span(&x, 1);
}

/// The sources, a pattern bound to their shape, and what is done to elements.
class Conversion {
 public:
  Conversion(TensorList sources, bool is_list, std::string_view pattern, const ConvertOptions& options)
      : sources_(sources), arithmetic_(options.arithmetic), dtype_(options.dtype) {
    require_alike();
    Dims shape = sources[0].shape();
    if (is_list) shape.insert(0, static_cast<Index>(sources.size()));
    bound_ = Pattern::cached(pattern, PatternVerb::rearrange)->bind(shape, options.sizes);
    if (!is_list) bound_.first_axis_parts = 0;
    if (!has_numbers(arithmetic_)) return;
    const std::size_t axis = wrap_axis("convert", arithmetic_.axis, bound_.shape);
    require_numbers(arithmetic_.scale, axis);
    require_numbers(arithmetic_.shift, axis);
    if (count_elements(bound_.shape) == 0) return;
    numbered_ = part_of(bound_, axis);
    if (numbered_) return;
    // Numbers run along merged axes: a copy merges them first.
    merged_ =
        is_list ? rearrange(sources, pattern, options.sizes) : rearrange(sources[0], pattern, options.sizes);
    sources_ = one(*merged_);
    bound_ = Pattern::cached("... -> ...", PatternVerb::rearrange)->bind(merged_->shape());
    bound_.first_axis_parts = 0;
    numbered_ = static_cast<Index>(axis);
  }
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  [[nodiscard]] Tensor run() const {
    Tensor result =
        empty(bound_.shape, {.dtype = dtype_.value_or(sources_[0].dtype()), .device = sources_[0].device()});
    write(result);
    return result;
  }

  void run_into(Tensor& out) const {
    if (out.shape() != bound_.shape) {
      throw ShapeError(message("convert: out of shape ", out.shape(), " must have the shape of the result, ",
                               bound_.shape),
                       out.shape(), bound_.shape);
    }
    if (dtype_ && *dtype_ != out.dtype())
      throw TypeError(message("convert: dtype ", name(*dtype_), " must be that of out, ", name(out.dtype())));
    detail::require_distinct_elements("convert", out);
    for (const Tensor& source : sources_) {
      if (!detail::may_overlap(out, source)) continue;
      Tensor apart = empty(bound_.shape, {.dtype = out.dtype(), .device = out.device()});
      write(apart);
      out.copy_(apart);
      return;
    }
    write(out);
  }

 private:
  void require_alike() const {
    for (const Tensor& source : sources_) {
      if (source.shape() == sources_[0].shape() && source.dtype() == sources_[0].dtype()) continue;
      throw ShapeError(
          message("convert: the tensors of a list must have one shape and type (", sources_[0].shape(),
                  " of ", name(sources_[0].dtype()), ", ", source.shape(), " of ", name(source.dtype()), ")"),
          sources_[0].shape(), source.shape());
    }
  }

  void require_numbers(std::span<const double> numbers, std::size_t axis) const {
    const Index size = bound_.shape[axis];
    if (numbers.size() <= 1 || numbers.size() == detail::at(size)) return;
    throw ShapeError(message("convert: ", numbers.size(), " numbers for scale or shift must be 1 or ", size,
                             ", the size of axis ", axis, " (shape ", bound_.shape, ")"),
                     bound_.shape, bound_.shape);
  }

  void write(Tensor& out) const {
    if (out.numel() == 0) return;
    const Layout parts = out.view(bound_.parts).layout();
    const detail::PartsBySource by_source(bound_);
    // The axis that numbers run along, as the source has it.
    std::size_t axis = 0;
    while (numbered_ && by_source.order[axis] != *numbered_) ++axis;
    for (Index n = 0; n < by_source.leading; ++n) {
      Tensor dst = with_layout(out, by_source.place(parts, n));
      const Tensor& x = sources_[detail::at(n)];
      ScaleShift arithmetic = arithmetic_;
      if (numbered_ && axis < by_source.leading_parts) {
        const auto number = detail::at(by_source.index(parts, n, axis));
        const auto one_of = [number](std::span<const double> all) {
          return all.size() > 1 ? all.subspan(number, 1) : all;
        };
        arithmetic = {one_of(arithmetic.scale), one_of(arithmetic.shift)};
      } else {
        arithmetic.axis = static_cast<Index>(axis - std::min(axis, by_source.leading_parts));
      }
      copy_elements(dst, with_layout(x, by_source.source(x.layout(), dst.layout())), arithmetic);
    }
  }

  TensorList sources_;
  ScaleShift arithmetic_;
  std::optional<DType> dtype_;
  BoundPattern bound_;
  /// The part of the result that numbers run along.
  std::optional<Index> numbered_;
  std::optional<Tensor> merged_;
};

void require_some(TensorList list) {
  if (list.empty()) throw ValueError("convert: the list must hold a tensor");
}

}  // namespace

Tensor convert(const Tensor& x, std::string_view pattern, const ConvertOptions& options, Caller caller) {
  const detail::OperationScope scope("convert", caller);
  return Conversion(one(x), false, pattern, options).run();
}

Tensor convert(TensorList list, std::string_view pattern, const ConvertOptions& options, Caller caller) {
  const detail::OperationScope scope("convert", caller);
  require_some(list);
  return Conversion(list, true, pattern, options).run();
}

void convert_into(Tensor& out, const Tensor& x, std::string_view pattern, const ConvertOptions& options,
                  Caller caller) {
  const detail::OperationScope scope("convert", caller);
  Conversion(one(x), false, pattern, options).run_into(out);
}

void convert_into(Tensor& out, TensorList list, std::string_view pattern, const ConvertOptions& options,
                  Caller caller) {
  const detail::OperationScope scope("convert", caller);
  require_some(list);
  Conversion(list, true, pattern, options).run_into(out);
}

}  // namespace tenstride
