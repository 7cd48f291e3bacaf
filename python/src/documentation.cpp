// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

#include <utility>

#include "base/message.hpp"

namespace tenstride::python {
namespace {

using detail::Form;

/// `dims...` as `*dims`, `dim?` as `dim=None`; after `|` names only.
std::string signature(const detail::Operation& operation, Form form) {
  std::string text(operation.name.substr(operation.name.rfind('.') + 1));
  text += '(';
  const std::string all = detail::parameters_of(operation, form);
  std::string_view rest = all;
  const bool takes_tensor = !rest.starts_with('!');
  std::string parameters;
  const auto add = [&](std::string_view parameter) {
    if (!parameters.empty()) parameters += ", ";
    parameters += parameter;
  };
  if (form == Form::method) add("$self, /");
  if (form == Form::function && takes_tensor) add("input");
  bool names_only = false;
  bool has_default = false;
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (word.empty() || word == "!" || word == "#") continue;
    if (word == "|") {
      if (!names_only) add("*");
      names_only = true;
      continue;
    }
    if (word == "**") {
      add("**axes_lengths");
      continue;
    }
    if (word.starts_with('_')) {  // by position alone, in one of several overloads
      if (!names_only) add("*args");
      names_only = true;
      continue;
    }
    const bool is_optional = word.ends_with('?');
    if (is_optional) word.remove_suffix(1);
    const bool is_spread = word.ends_with("...");
    if (is_spread) word.remove_suffix(3);
    const bool is_tuple = form == Form::function && takes_tensor;  // as in PyTorch: `permute(x, (1, 0))`
    if (is_spread && !is_tuple) {
      add(detail::message('*', word));
      names_only = true;
    } else {
      has_default = has_default || is_optional;
      add(has_default ? detail::message(word, "=None") : std::string(word));
    }
  }
  return text + parameters + ')';
}

}  // namespace

std::string documentation(const detail::Operation& operation, Form form) {
  const std::string_view text = operation_text(operation.name);
  if (form == Form::attribute) return std::string(text);
  return detail::message(signature(operation, form), "\n--\n\n", text);
}

}  // namespace tenstride::python
