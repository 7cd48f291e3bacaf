// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "operations/call.hpp"

/// The operations of all tables together.
namespace tenstride::detail {
namespace {

using Table = std::multimap<std::string_view, Operation>;

/// Operations under a further name, with the same schema, function and text.
struct OtherName {
  std::string_view name;
  std::string_view of;
};
constexpr OtherName other_names[] = {
    {"absolute", "abs"},       {"absolute_", "abs_"},       {"clip", "clamp"},   {"clip_", "clamp_"},
    {"divide", "div"},         {"divide_", "div_"},         {"multiply", "mul"}, {"multiply_", "mul_"},
    {"negative", "neg"},       {"negative_", "neg_"},       {"subtract", "sub"}, {"subtract_", "sub_"},
    {"swapdims", "transpose"}, {"swapdims_", "transpose_"},
};

/// Read once. An operation that is called in two ways by two rows has its text in one of them.
const Table& table() {
  static const Table all = [] {
    Table made;
    for (const auto operations :
         {view_operations, part_operations, conversion_operations, copy_operations, view_copy_operations,
          notation_operations, factory_operations, random_operations, query_operations, attribute_operations,
          comparison_operations, arithmetic_operations, reduction_operations, in_place_operations,
          selection_operations, scatter_operations}) {
      for (const Operation& operation : operations()) made.emplace(operation.name, operation);
    }
    for (auto& [name, operation] : made) {
      for (auto twin = made.lower_bound(name); operation.text.empty() && twin->first == name; ++twin) {
        operation.text = twin->second.text;
      }
    }
    for (const auto& [name, of] : other_names) {
      Operation operation = made.find(of)->second;
      operation.name = operation.schema.name = name;
      made.emplace(name, std::move(operation));
    }
    return made;
  }();
  return all;
}

}  // namespace

const Operation* find_operation(std::string_view name, Form form) {
  const auto [first, last] = table().equal_range(name);
  const auto found =
      std::find_if(first, last, [&](const auto& entry) { return (entry.second.form & form) != 0; });
  return found == last ? nullptr : &found->second;
}

std::vector<std::string> operation_names(Form form) {
  std::vector<std::string> names;
  for (const auto& [name, operation] : table()) {
    if ((operation.form & form) != 0) names.emplace_back(name);
  }
  return names;
}

}  // namespace tenstride::detail
