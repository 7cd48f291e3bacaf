// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "operations/call.hpp"
#include "tenstride/elementwise/arithmetic.hpp"

/// Python's operators on numbers, strings, lists and tuples.
namespace tenstride::detail {

/// Python's truth value; nothing for a tensor of more than one element. Throws RuntimeError on meta.
std::optional<bool> truth(const Value& value);

/// `a sign b`, where no tensor operator is called. Throws NotationError, its range the sign's.
Value binary_value(std::string_view sign, const Value& a, const Value& b, TextRange range);
/// -a, +a and ~a of a number.
Value unary_value(std::string_view sign, const Value& a, TextRange range);
/// An operator where a tensor stands on either side.
struct TensorOperator {
  std::string_view sign;
  /// The operation of that meaning, and the one that writes into the left side: empty where there is none.
  std::string_view op;
  std::string_view op_in_place;
  /// Pre: one of the two is a tensor.
  Tensor (*run)(const Operand&, const Operand&, Caller);
};
/// Arithmetic and comparisons; null for any other sign.
const TensorOperator* find_tensor_operator(std::string_view sign);
/// A tensor or a number; nothing for any other value. Refers to the value.
std::optional<Operand> to_operand(const Value& value);

/// The items of lists in lists, of a string its characters by sixteens; and how many lists are in each other.
struct ListSize {
  std::size_t items = 0;
  std::size_t depth = 0;
};
ListSize list_size(const Value& value);

/// The items of a list, tuple, Size or string, of a tensor its parts along the first axis, of a storage its
/// numbers.
std::vector<Value> items_of(const Value& value, TextRange range);

}  // namespace tenstride::detail
