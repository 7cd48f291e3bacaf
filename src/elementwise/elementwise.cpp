// SPDX-License-Identifier: Apache-2.0
#include "tenstride/elementwise.hpp"

#include <array>

namespace tenstride {
namespace {

/// One element type for each weight; nothing where no operand has it.
using PerWeight = std::array<std::optional<DType>, 3>;

/// The complex type with components of a floating type; of bfloat16 there is none, float32 stands in.
std::optional<DType> complex_of(DType type) {
  return complex_type(type == DType::bfloat16 ? DType::float32 : type);
}

/// ATen's `combine_categories`; both are given.
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
