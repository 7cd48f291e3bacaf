// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/message.hpp"
#include "operations/operators.hpp"

namespace tenstride::detail {
namespace {

/// A call of a built-in function; all arguments are given by position, but those of print.
struct Given {
  std::string_view name;
  Session& session;
  const std::vector<Argument>& arguments;
  TextRange range;

  [[nodiscard]] const Value& at(std::size_t i) const { return arguments[i].value; }
  [[nodiscard]] std::vector<Value> items(std::size_t i) const { return items_of(at(i), arguments[i].range); }
  [[noreturn]] void fail(std::string_view what) const {
    throw NotationError{"TypeError", message(name, ": ", what), range};
  }
  void require(std::size_t least, std::size_t most) const {
    if (arguments.size() < least || arguments.size() > most) {
      fail(message(arguments.size(), " arguments are given, must be ",
                   least == most ? message(least) : message(least, " to ", most)));
    }
  }
  [[nodiscard]] Index index(std::size_t i) const {
    const std::optional<Index> value = to_index(at(i));
    if (!value) {
      throw NotationError{"TypeError",
                          message(name, ": an int was expected, ", at(i).type_name(), " is given"),
                          arguments[i].range};
    }
    return *value;
  }
};

Value sequence(Value::SequenceKind kind, std::vector<Value> items) {
  return Value(Value::Variant(Value::Sequence{kind, std::move(items)}));
}

Value print(const Given& given) {
  std::string separator = " ", end = "\n", line;
  bool is_first = true;
  for (const Argument& argument : given.arguments) {
    const auto* text = std::get_if<std::string>(&argument.value.variant());
    if (argument.keyword == "sep" && text != nullptr) separator = *text;
    if (argument.keyword == "end" && text != nullptr) end = *text;
  }
  for (const Argument& argument : given.arguments) {
    if (!argument.keyword.empty()) {
      if (argument.keyword == "sep" || argument.keyword == "end") continue;
      given.fail(message("there is no argument '", argument.keyword, "', only: sep, end"));
    }
    if (!is_first) line += separator;
    is_first = false;
    line += argument.value.str();
  }
  given.session.output += line + end;
  return {};
}

Value len(const Given& given) {
  given.require(1, 1);
  if (const Tensor* tensor = given.at(0).tensor()) {
    if (tensor->dim() == 0) given.fail("a tensor of rank 0 has no length");
    return Value(Scalar(tensor->size(0)));
  }
  if (const auto* storage = std::get_if<StorageElements>(&given.at(0).variant())) {
    return Value(Scalar(storage->elements.numel()));
  }
  if (const auto* storage = std::get_if<StorageBytes>(&given.at(0).variant())) {
    return Value(Scalar(storage->bytes.numel()));
  }
  return Value(Scalar(static_cast<Index>(given.items(0).size())));
}

Value as_tuple(const Given& given) {
  given.require(0, 1);
  return sequence(Value::SequenceKind::tuple,
                  given.arguments.empty() ? std::vector<Value>{} : given.items(0));
}

Value as_list(const Given& given) {
  given.require(0, 1);
  return sequence(Value::SequenceKind::list, given.arguments.empty() ? std::vector<Value>{} : given.items(0));
}

/// A list, where Python gives an iterator.
Value reversed(const Given& given) {
  given.require(1, 1);
  std::vector<Value> items = given.items(0);
  std::reverse(items.begin(), items.end());
  return sequence(Value::SequenceKind::list, std::move(items));
}

Value zip(const Given& given) {
  std::vector<std::vector<Value>> columns;
  std::size_t length = given.arguments.empty() ? 0 : SIZE_MAX;
  for (std::size_t i = 0; i < given.arguments.size(); ++i) {
    columns.push_back(given.items(i));
    length = std::min(length, columns.back().size());
  }
  std::vector<Value> rows;
  for (std::size_t row = 0; row < length; ++row) {
    std::vector<Value> items;
    for (const std::vector<Value>& column : columns) items.push_back(column[row]);
    rows.push_back(sequence(Value::SequenceKind::tuple, std::move(items)));
  }
  return sequence(Value::SequenceKind::list, std::move(rows));
}

Value range(const Given& given) {
  given.require(1, 3);
  const Index start = given.arguments.size() > 1 ? given.index(0) : 0;
  const Index stop = given.index(given.arguments.size() > 1 ? 1 : 0);
  const Index step = given.arguments.size() > 2 ? given.index(2) : 1;
  if (step == 0) given.fail("the step must not be 0");
  std::vector<Value> items;
  for (std::optional<Index> i = start; i && (step > 0 ? *i < stop : *i > stop); i = try_add(*i, step)) {
    if (items.size() >= static_cast<std::size_t>(max_items)) {
      given.fail(message("at most ", max_items, " items are made"));
    }
    items.emplace_back(Scalar(*i));
  }
  return sequence(Value::SequenceKind::list, std::move(items));
}

/// A list, where Python gives an iterator.
Value enumerate(const Given& given) {
  given.require(1, 2);
  Index number = given.arguments.size() > 1 ? given.index(1) : 0;
  std::vector<Value> rows;
  for (Value& item : given.items(0)) {
    rows.push_back(sequence(Value::SequenceKind::tuple, {Value(Scalar(number)), std::move(item)}));
    number = try_add(number, 1).value_or(number);
  }
  return sequence(Value::SequenceKind::list, std::move(rows));
}

Value sum(const Given& given) {
  given.require(1, 2);
  Value total = given.arguments.size() > 1 ? given.at(1) : Value(Scalar(0));
  for (const Value& item : given.items(0)) total = binary_value("+", total, item, given.range);
  return total;
}

Value extreme(const Given& given, std::string_view sign) {
  std::vector<Value> items;
  if (given.arguments.size() == 1) {
    items = given.items(0);
  } else {
    for (const Argument& argument : given.arguments) items.push_back(argument.value);
  }
  if (items.empty()) given.fail("at least one value must be given");
  Value best = items[0];
  for (const Value& item : items) {
    if (*truth(binary_value(sign, item, best, given.range))) best = item;
  }
  return best;
}
Value least(const Given& given) {
  return extreme(given, "<");
}
Value greatest(const Given& given) {
  return extreme(given, ">");
}

Scalar number(const Given& given) {
  given.require(1, 1);
  if (given.at(0).number() != nullptr) return *given.at(0).number();
  if (given.at(0).tensor() != nullptr) return given.at(0).tensor()->item();
  given.fail(message("a number must be given, not ", given.at(0).type_name()));
}

Value absolute(const Given& given) {
  const Scalar value = number(given);
  if (value.is_complex()) return Value(Scalar(std::abs(value.to<std::complex<double>>())));
  const Value zero(Scalar(0));
  return *truth(binary_value("<", Value(value), zero, given.range))
             ? unary_value("-", Value(value), given.range)
             : Value(value);
}
Value as_int(const Given& given) {
  return Value(Scalar(number(given).to<std::int64_t>()));
}
Value as_float(const Given& given) {
  return Value(Scalar(number(given).to<double>()));
}
Value as_bool(const Given& given) {
  given.require(1, 1);
  const std::optional<bool> value = truth(given.at(0));
  if (!value) given.fail("the truth of a tensor with other than one element is ambiguous");
  return Value(Scalar(*value));
}
Value as_str(const Given& given) {
  given.require(1, 1);
  return Value(Value::Variant(given.at(0).str()));
}

const std::map<std::string_view, Value (*)(const Given&)>& table() {
  static const std::map<std::string_view, Value (*)(const Given&)> builtins{
      {"print", print},       {"len", len},        {"tuple", as_tuple},      {"list", as_list},
      {"reversed", reversed}, {"zip", zip},        {"enumerate", enumerate}, {"sum", sum},
      {"range", range},       {"min", least},      {"max", greatest},        {"abs", absolute},
      {"int", as_int},        {"float", as_float}, {"bool", as_bool},        {"str", as_str}};
  return builtins;
}

}  // namespace

std::optional<Value> call_builtin(std::string_view name, Session& session,
                                  const std::vector<Argument>& arguments, TextRange range) {
  const auto found = table().find(name);
  if (found == table().end()) return std::nullopt;
  const Given given{name, session, arguments, range};
  if (name != "print") {
    for (const Argument& argument : arguments) {
      if (!argument.keyword.empty()) given.fail(message("there is no argument '", argument.keyword, "'"));
    }
  }
  return found->second(given);
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const auto& entry : table()) names.emplace_back(entry.first);
  return names;
}

}  // namespace tenstride::detail
