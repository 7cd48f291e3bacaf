// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/numpy_layout.hpp"

#include "base/message.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::numpy {

std::string_view name(Order order) {
  switch (order) {
    case Order::C:
      return "C";
    case Order::F:
      return "F";
    case Order::A:
      return "A";
    case Order::K:
      return "K";
  }
  return "?";
}

}  // namespace tenstride::numpy

/// The texts of what NumPy's rules refuse.
namespace tenstride::detail {

void throw_numpy_value(std::string_view operation, std::string_view what, const Dims& given,
                       std::string_view rule, const Dims& shape) {
  throw ValueError(message(operation, ": ", what, " ", given, " must ", rule, " (shape ", shape, ")"));
}

void throw_numpy_number(std::string_view operation, std::string_view what, Index given, std::string_view rule,
                        const Dims& shape) {
  throw ValueError(message(operation, ": ", what, " ", given, " must ", rule, " (shape ", shape, ")"));
}

void throw_numpy_rank(std::string_view operation, std::string_view rule, const Dims& shape) {
  throw ValueError(message(operation, ": the tensor has ", shape.size(),
                           shape.size() == 1 ? " axis" : " axes", " and must have ", rule, " (shape ", shape,
                           ")"));
}

void throw_numpy_count(const Dims& sizes, Index count, const Dims& shape) {
  throw ValueError(
      message("reshape: sizes ", sizes, " must hold the tensor's elements, ", count, " (shape ", shape, ")"));
}

void throw_numpy_index_rank(std::size_t rank, const Dims& shape) {
  throw IndexError(
      message("index: the result must have at most ", max_rank, " axes, not ", rank, " (shape ", shape, ")"),
      static_cast<Index>(rank), 0, static_cast<Index>(max_rank));
}

void throw_numpy_order_k(std::string_view operation) {
  throw ValueError(message(operation,
                           ": order K must not be asked for; it does not say where elements go, "
                           "use C, F or A"));
}

void throw_numpy_copy(std::string_view operation, const Layout& layout, std::string_view need) {
  throw ValueError(message(operation, ": layout ", to_string(layout), " must be copied to ", need,
                           ", and copy = never forbids it; use copy = if_needed"));
}

void throw_numpy_alignment(std::string_view operation, std::string_view what, Index nbytes,
                           std::size_t item_size) {
  throw ValueError(message(operation, ": ", what, " of ", nbytes,
                           " bytes must be a multiple of the element, ", item_size, " bytes; copy first"));
}

}  // namespace tenstride::detail
