// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

#include <functional>
#include <set>
#include <utility>

#include "base/message.hpp"

namespace tenstride::python {
namespace {

using detail::Form;

/// As `inspect` reads it; what may be spelled out as `*dims`, and names only behind it.
std::string signature(const detail::Operation& operation, Form form) {
  const bool is_method = form == Form::method;
  const bool takes_tensor = operation.schema.takes_self();
  std::string parameters;
  const auto add = [&](std::string_view parameter) {
    if (!parameters.empty()) parameters += ", ";
    parameters += parameter;
  };
  if (is_method) add("$self, /");
  if (!is_method && takes_tensor) add("input");
  bool names_only = false;
  bool has_default = false;
  for (const detail::Parameter& parameter : operation.parameters(is_method)) {
    if (parameter.is_any) {
      add(detail::message("**", parameter.name));
      continue;
    }
    const bool is_hidden = parameter.name.starts_with('_');  // by position alone, in one of several overloads
    // A function takes one tuple, as in PyTorch: `permute(x, (1, 0))`.
    const bool is_spread = parameter.is_spread && (is_method || !takes_tensor);
    if ((parameter.is_keyword_only || is_hidden) && !std::exchange(names_only, true)) {
      add(is_hidden ? "*args" : "*");
    }
    if (is_hidden) continue;
    if (is_spread) {
      add(detail::message('*', parameter.name));
      names_only = true;
      continue;
    }
    has_default = has_default || parameter.is_optional();
    const bool is_format = parameter.otherwise.ends_with("_format");
    const std::string_view otherwise =
        parameter.otherwise.empty() || is_format ? "None" : parameter.otherwise;
    add(has_default ? detail::message(parameter.name, '=', otherwise) : std::string(parameter.name));
  }
  return detail::message(short_name(operation), '(', parameters, ')');
}

}  // namespace

const char* short_name(const detail::Operation& operation) {
  static std::set<std::string, std::less<>> names;
  return names.emplace(operation.name.substr(operation.name.rfind('.') + 1)).first->c_str();
}

std::string documentation(const detail::Operation& operation, Form form) {
  return detail::message(signature(operation, form), "\n--\n\n", operation.text);
}

}  // namespace tenstride::python
