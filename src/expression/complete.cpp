// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "operations/call.hpp"
#include "tenstride/expression/expression.hpp"

/// How a text may go on.
namespace tenstride {
namespace {

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void append(std::vector<std::string>& names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
}

std::vector<std::string> names_of_module() {
  std::vector<std::string> names = detail::operation_names(detail::Form::function);
  append(names, detail::constant_names());
  names.emplace_back("manual_seed");
  return names;
}

}  // namespace

Completion complete(std::string_view text, const std::vector<std::string>& bound_names) {
  Completion completion;
  completion.begin = text.size();
  while (completion.begin > 0 && in_name(text[completion.begin - 1])) --completion.begin;
  const std::string_view unfinished = text.substr(completion.begin);
  const std::string_view before = text.substr(0, completion.begin);
  std::vector<std::string> names;
  if (before.ends_with('.')) {
    std::string_view owner = before.substr(0, before.size() - 1);
    std::size_t begin = owner.size();
    while (begin > 0 && in_name(owner[begin - 1])) --begin;
    owner = owner.substr(begin);
    const bool is_bound = std::find(bound_names.begin(), bound_names.end(), owner) != bound_names.end();
    if (!owner.empty() && owner.find_first_not_of("0123456789") == std::string_view::npos) {
      return completion;  // a number's decimals
    }
    if (!is_bound && (owner == "torch" || owner == "tenstride")) {
      names = names_of_module();
    } else {
      names = detail::operation_names(detail::Form::method);
      append(names, detail::operation_names(detail::Form::attribute));
    }
  } else {
    if (unfinished.empty()) return completion;
    names = names_of_module();
    append(names, bound_names);
    append(names, {"torch", "open", "print"});
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase_if(names, [&](const std::string& name) { return !name.starts_with(unfinished); });
  completion.names = std::move(names);
  return completion;
}

}  // namespace tenstride
