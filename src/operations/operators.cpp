// SPDX-License-Identifier: Apache-2.0
#include "operations/operators.hpp"

#include <cmath>

#include "base/message.hpp"

namespace tenstride::detail {
namespace {

[[noreturn]] void refuse(std::string_view sign, const Value& a, const Value& b, TextRange range) {
  throw NotationError{"TypeError",
                      message("'", sign, "' is not defined between ", a.type_name(), " and ", b.type_name()),
                      range};
}

[[noreturn]] void overflow(std::string_view sign, TextRange range) {
  throw NotationError{"OverflowError", message("the result of '", sign, "' must fit a signed 64-bit integer"),
                      range};
}

/// Rounds towards minus infinity, as Python does.
Index floor_divide(Index a, Index b) {
  const Index quotient = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

Value integer_power(Index base, Index exponent, TextRange range) {
  Index result = 1;
  for (Index i = 0; i < exponent; ++i) {
    const std::optional<Index> next = try_multiply(result, base);
    if (!next) overflow("**", range);
    if (*next == result) break;  // 0, 1
    result = *next;
    if (base == -1 && i == 1) {  // only the parity counts
      result = exponent % 2 == 0 ? 1 : -1;
      break;
    }
  }
  return Value(Scalar(result));
}

Value integers(std::string_view sign, Index a, Index b, TextRange range) {
  if (b == 0 && (sign == "/" || sign == "//" || sign == "%")) {
    throw NotationError{"ZeroDivisionError", message("'", sign, "' by zero"), range};
  }
  std::optional<Index> result;
  if (sign == "/") return Value(Scalar(static_cast<double>(a) / static_cast<double>(b)));
  if (sign == "**") {
    if (b < 0) return Value(Scalar(std::pow(static_cast<double>(a), static_cast<double>(b))));
    return integer_power(a, b, range);
  }
  if (sign == "&") result = a & b;
  if (sign == "|") result = a | b;
  if (sign == "^") result = a ^ b;
  if (sign == "+") result = try_add(a, b);
  if (sign == "*") result = try_multiply(a, b);
  if (sign == "-") {
    Index difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference)) result = difference;
  }
  if ((sign == "//" || sign == "%") && b == -1) {  // the one quotient that does not fit
    Index negated = 0;
    if (!__builtin_sub_overflow(Index{0}, a, &negated)) result = sign == "%" ? 0 : negated;
  } else if (sign == "//") {
    result = floor_divide(a, b);
  } else if (sign == "%") {
    result = a - floor_divide(a, b) * b;
  }
  if (!result) overflow(sign, range);
  return Value(Scalar(*result));
}

Value reals(std::string_view sign, double a, double b, TextRange range) {
  if (b == 0 && (sign == "/" || sign == "//" || sign == "%")) {
    throw NotationError{"ZeroDivisionError", message("'", sign, "' by zero"), range};
  }
  if (sign == "+") return Value(Scalar(a + b));
  if (sign == "-") return Value(Scalar(a - b));
  if (sign == "*") return Value(Scalar(a * b));
  if (sign == "/") return Value(Scalar(a / b));
  if (sign == "//") return Value(Scalar(std::floor(a / b)));
  if (sign == "%") return Value(Scalar(a - std::floor(a / b) * b));
  return Value(Scalar(std::pow(a, b)));
}

std::optional<Value> complexes(std::string_view sign, std::complex<double> a, std::complex<double> b) {
  if (sign == "+") return Value(Scalar(a + b));
  if (sign == "-") return Value(Scalar(a - b));
  if (sign == "*") return Value(Scalar(a * b));
  if (sign == "/") return Value(Scalar(a / b));
  return std::nullopt;
}

/// A bool counts as an int, as in Python.
std::optional<Index> integer(const Scalar& number) {
  if (number.is_bool()) return number.to<bool>() ? 1 : 0;
  if (const auto* value = std::get_if<std::int64_t>(&number.value())) return *value;
  return std::nullopt;
}

std::optional<Value> joined(std::string_view sign, const Value& a, const Value& b, TextRange range) {
  const auto* text_a = std::get_if<std::string>(&a.variant());
  const auto* text_b = std::get_if<std::string>(&b.variant());
  if (sign == "+" && text_a != nullptr && text_b != nullptr) return Value(Value::Variant(*text_a + *text_b));
  const Value::Sequence* list = a.sequence() != nullptr ? a.sequence() : b.sequence();
  if (list == nullptr) return std::nullopt;
  Value::Sequence result = *list;
  if (sign == "+" && a.sequence() != nullptr && b.sequence() != nullptr) {
    const bool same = (a.sequence()->kind == Value::SequenceKind::list) ==
                      (b.sequence()->kind == Value::SequenceKind::list);
    if (!same) return std::nullopt;
    result.items.insert(result.items.end(), b.sequence()->items.begin(), b.sequence()->items.end());
    return Value(Value::Variant(std::move(result)));
  }
  const Value& other = a.sequence() != nullptr ? b : a;
  const std::optional<Index> count = other.number() != nullptr ? integer(*other.number()) : std::nullopt;
  if (sign != "*" || !count) return std::nullopt;
  const std::optional<Index> length = try_multiply(
      std::max<Index>(*count, 0), static_cast<Index>(list_size(a.sequence() != nullptr ? a : b).items));
  if (!length || *length > max_items) {
    throw NotationError{"ValueError", message("the list must have at most ", max_items, " items"), range};
  }
  result.items.clear();
  for (Index i = 0; i < *count && !list->items.empty(); ++i) {
    result.items.insert(result.items.end(), list->items.begin(), list->items.end());
  }
  return Value(Value::Variant(std::move(result)));
}

/// Python's == for everything but tensors; lists compare item by item.
bool equal_values(const Value& a, const Value& b) {
  if (a.number() != nullptr && b.number() != nullptr) return *a.number() == *b.number();
  const Value::Sequence *sa = a.sequence(), *sb = b.sequence();
  if (sa != nullptr && sb != nullptr) {
    const bool same_kind = (sa->kind == Value::SequenceKind::list) == (sb->kind == Value::SequenceKind::list);
    if (!same_kind || sa->items.size() != sb->items.size()) return false;
    for (std::size_t i = 0; i < sa->items.size(); ++i) {
      if (!equal_values(sa->items[i], sb->items[i])) return false;
    }
    return true;
  }
  if (a.variant().index() != b.variant().index()) return false;
  return a.repr() == b.repr();
}

/// -1, 0 or 1; nothing where Python refuses to order the two.
std::optional<int> order(const Value& a, const Value& b) {
  if (a.number() != nullptr && b.number() != nullptr) {
    if (a.number()->is_complex() || b.number()->is_complex()) return std::nullopt;
    const std::optional<Index> ia = integer(*a.number()), ib = integer(*b.number());
    if (ia && ib) return *ia < *ib ? -1 : (*ia > *ib ? 1 : 0);
    const double da = a.number()->to<double>(), db = b.number()->to<double>();
    return da < db ? -1 : (da > db ? 1 : 0);
  }
  const Value::Sequence *sa = a.sequence(), *sb = b.sequence();
  if (sa == nullptr || sb == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < std::min(sa->items.size(), sb->items.size()); ++i) {
    if (equal_values(sa->items[i], sb->items[i])) continue;
    return order(sa->items[i], sb->items[i]);
  }
  return sa->items.size() < sb->items.size() ? -1 : (sa->items.size() > sb->items.size() ? 1 : 0);
}

}  // namespace

std::optional<bool> truth(const Value& value) {
  if (value.is_none()) return false;
  if (const Scalar* number = value.number()) return number->to<bool>();
  if (const auto* text = std::get_if<std::string>(&value.variant())) return !text->empty();
  if (const Value::Sequence* list = value.sequence()) return !list->items.empty();
  if (const Tensor* tensor = value.tensor()) {
    if (tensor->numel() != 1) return std::nullopt;
    return tensor->item<bool>();
  }
  return true;
}

Value binary_value(std::string_view sign, const Value& a, const Value& b, TextRange range) {
  if (sign == "==" || sign == "!=") return Value(Scalar(equal_values(a, b) == (sign == "==")));
  if (sign[0] == '<' || sign[0] == '>') {
    const std::optional<int> compared = order(a, b);
    if (!compared) refuse(sign, a, b, range);
    const bool has_nan = a.number() != nullptr && (a.number()->to<double>() != a.number()->to<double>() ||
                                                   b.number()->to<double>() != b.number()->to<double>());
    if (has_nan) return Value(Scalar(false));
    const bool less = sign[0] == '<' ? *compared < 0 : *compared > 0;
    return Value(Scalar(less || (sign.size() == 2 && *compared == 0)));
  }
  if (a.number() == nullptr || b.number() == nullptr) {
    std::optional<Value> result = joined(sign, a, b, range);
    if (!result) refuse(sign, a, b, range);
    return *std::move(result);
  }
  const std::optional<Index> ia = integer(*a.number()), ib = integer(*b.number());
  const bool is_bits = sign == "&" || sign == "|" || sign == "^";
  if (is_bits && a.number()->is_bool() && b.number()->is_bool()) {
    return Value(Scalar(integers(sign, *ia, *ib, range).number()->to<bool>()));
  }
  if (ia && ib) return integers(sign, *ia, *ib, range);
  if (is_bits) refuse(sign, a, b, range);
  if (!a.number()->is_complex() && !b.number()->is_complex()) {
    return reals(sign, a.number()->to<double>(), b.number()->to<double>(), range);
  }
  std::optional<Value> result =
      complexes(sign, a.number()->to<std::complex<double>>(), b.number()->to<std::complex<double>>());
  if (!result) refuse(sign, a, b, range);
  return *std::move(result);
}

Value unary_value(std::string_view sign, const Value& a, TextRange range) {
  if (a.number() == nullptr) {
    throw NotationError{"TypeError", message("'", sign, "' is not defined for ", a.type_name()), range};
  }
  if (sign == "~") {
    const std::optional<Index> value = integer(*a.number());
    if (!value) throw NotationError{"TypeError", message("'~' is not defined for ", a.type_name()), range};
    return Value(Scalar(~*value));
  }
  if (sign == "+") return a;
  if (a.number()->is_complex()) return Value(Scalar(-a.number()->to<std::complex<double>>()));
  if (const std::optional<Index> value = integer(*a.number())) {
    return binary_value("-", Value(Scalar(0)), Value(Scalar(*value)), range);
  }
  return Value(Scalar(-a.number()->to<double>()));
}

ListSize list_size(const Value& value) {
  ListSize size;
  if (const auto* text = std::get_if<std::string>(&value.variant())) size.items = text->size() / 16;
  if (const Value::Sequence* list = value.sequence()) {
    for (const Value& item : list->items) {
      const ListSize inner = list_size(item);
      size.items += 1 + inner.items;
      size.depth = std::max(size.depth, inner.depth);
    }
    ++size.depth;
  }
  return size;
}

std::vector<Value> items_of(const Value& value, TextRange range) {
  std::vector<Value> items;
  if (const Value::Sequence* list = value.sequence()) return list->items;
  if (const Tensor* tensor = value.tensor()) return to_values(tensor->unbind());
  if (const auto* storage = std::get_if<StorageElements>(&value.variant())) {
    for (const Tensor& element : storage->elements.unbind()) items.emplace_back(element.item());
    return items;
  }
  if (const auto* text = std::get_if<std::string>(&value.variant())) {
    for (const char c : *text) items.emplace_back(Value::Variant(std::string(1, c)));
    return items;
  }
  throw NotationError{"TypeError", message(value.type_name(), " has no items"), range};
}

}  // namespace tenstride::detail
