// SPDX-License-Identifier: Apache-2.0
#include "tenstride/elementwise/elementwise.hpp"

#include <array>

namespace tenstride {
namespace {

/// The common element type of the operands of each weight; empty where no operand has that weight.
using PerWeight = std::array<std::optional<DType>, 3>;

/// Returns the complex type whose components have the floating type. There is none for bfloat16: float32
/// takes its place.
std::optional<DType> complex_of(DType type) {
  return complex_type(type == DType::bfloat16 ? DType::float32 : type);
}

/// Returns the type of a stronger and a weaker operand together, as ATen's `combine_categories`.
std::optional<DType> combine(DType stronger, DType weaker) {
  if (is_complex(stronger)) return stronger;
  if (is_floating_point(stronger)) return is_complex(weaker) ? complex_of(stronger) : stronger;
  if (is_complex(weaker)) return weaker;  // also of uint16 to uint64, which promote_types refuses
  if (stronger == DType::bool_ || is_floating_point(weaker)) return promote_types(stronger, weaker);
  return stronger;
}

}  // namespace

std::optional<DType> result_type(std::span<const TypedOperand> operands) {
  PerWeight found;
  for (const TypedOperand& operand : operands) {
    std::optional<DType>& of_weight = found[static_cast<std::size_t>(operand.weight)];
    of_weight = of_weight ? promote_types(*of_weight, operand.dtype) : operand.dtype;
    if (!of_weight) return std::nullopt;
  }
  std::optional<DType> result = found[2];
  for (const std::size_t weight : {1U, 0U}) {
    if (!found[weight]) continue;
    result = result ? combine(*found[weight], *result) : found[weight];
    if (!result) return std::nullopt;
  }
  return result;
}

}  // namespace tenstride
