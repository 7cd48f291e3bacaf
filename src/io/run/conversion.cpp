// SPDX-License-Identifier: Apache-2.0
#include "io/run/conversion.hpp"

#include <algorithm>
#include <span>

#include "io/ends/operation.hpp"

namespace tenstride::io {
namespace {

/// Converts and writes one tensor into another of the same shape. `first`: the index of its first element in
/// the plan.
void convert_into(Tensor& dst, const Tensor& src, const Dims& first, const Conversion& conversion) {
  ScaleShift arithmetic{conversion.scale, conversion.shift, static_cast<Index>(conversion.axis)};
  const auto cut = [&](std::span<const double> numbers) {
    if (numbers.size() <= 1) return numbers;
    return numbers.subspan(static_cast<std::size_t>(first[conversion.axis]),
                           static_cast<std::size_t>(src.size(static_cast<Index>(conversion.axis))));
  };
  arithmetic.scale = cut(arithmetic.scale);
  arithmetic.shift = cut(arithmetic.shift);
  Tensor converted = src;
  if (conversion.reduction) {
    for (const DType type : conversion.types) converted = converted.to(type);
    converted = reduce_axes(converted, conversion.reduced_axes, *conversion.reduction);
    for (const Index axis : conversion.reduced_axes) converted = converted.unsqueeze(axis);
    Tensor target = dst;
    for (const Index axis : conversion.reduced_axes) target = target.narrow(axis, 0, 1);
    copy_elements(target, converted, arithmetic);
    return;
  }
  for (std::size_t i = 0; i + 1 < conversion.types.size(); ++i) converted = converted.to(conversion.types[i]);
  copy_elements(dst, converted, arithmetic);
}

}  // namespace

Index convert_elements(Tensor& dst, const Tensor& src, const Dims& first, const Conversion& conversion) {
  if (conversion.rescaling != nullptr)
    return rescale_elements(dst, src, *conversion.rescaling, this_operation);
  // As many indices of the first long axis at a time that what lies between two conversions stays small.
  constexpr Index most = Index{1} << 18;  // elements: at most 4 MiB of any type
  const auto can_be_cut = [&](std::size_t axis) {
    const auto along = static_cast<Index>(axis);
    const Dims& reduced = conversion.reduced_axes;
    return src.size(along) > 1 && std::find(reduced.begin(), reduced.end(), along) == reduced.end();
  };
  std::size_t axis = 0;
  while (axis < first.size() && !can_be_cut(axis)) ++axis;
  const std::size_t kept_types = conversion.reduction ? conversion.types.size() + 1 : conversion.types.size();
  if (kept_types < 2 || src.numel() <= most || axis == first.size()) {
    convert_into(dst, src, first, conversion);
    return 0;
  }
  const auto along = static_cast<Index>(axis);
  const Index step = std::max<Index>(1, most / std::max<Index>(1, src.numel() / src.size(along)));
  for (Index begin = 0; begin < src.size(along); begin += step) {
    const Index count = std::min(step, src.size(along) - begin);
    Dims from = first;
    from[axis] += begin;
    Tensor part = dst.narrow(along, begin, count);
    convert_elements(part, src.narrow(along, begin, count), from, conversion);
  }
  return 0;
}

}  // namespace tenstride::io
