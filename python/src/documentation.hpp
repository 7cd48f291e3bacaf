// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "operations/call.hpp"

/// The docstrings of the table's operations.
namespace tenstride::python {

/// What an operation does, what it refuses, and an example that is run as a test; its method, its function
/// and its attribute share it.
struct OperationText {
  std::string_view name;
  std::string_view text;
};

/// The operation's docstring with its signature in the form that `inspect` reads.
std::string documentation(const detail::Operation& operation, detail::Form form);

/// The text of that name; empty where there is none.
std::string_view operation_text(std::string_view name);

/// The texts by family, each sorted by name.
std::span<const OperationText> texts_of_views();
std::span<const OperationText> texts_of_parts();
std::span<const OperationText> texts_of_copies();
std::span<const OperationText> texts_of_factories();
std::span<const OperationText> texts_of_queries();
std::span<const OperationText> texts_of_arithmetic();
std::span<const OperationText> texts_of_comparisons();
std::span<const OperationText> texts_of_in_place();
std::span<const OperationText> texts_of_kinds();
std::span<const OperationText> texts_of_scatter();
std::span<const OperationText> texts_of_selection();

constexpr bool is_sorted(std::span<const OperationText> texts) {
  return std::is_sorted(
      texts.begin(), texts.end(),
      [](const OperationText& left, const OperationText& right) { return left.name < right.name; });
}

}  // namespace tenstride::python
