// SPDX-License-Identifier: Apache-2.0
#include "expression/hints.hpp"

#include <algorithm>
#include <array>

#include "base/message.hpp"
#include "base/nearest_name.hpp"
#include "operations/call.hpp"

namespace tenstride::detail {
namespace {

/// Modules that examples import beside NumPy, of which the notation has nothing.
constexpr std::array<std::string_view, 5> modules{"math", "nn", "F", "jax", "tf"};

}  // namespace

std::string did_you_mean(std::string_view given, const std::vector<std::string>& names) {
  const std::optional<std::string> near = nearest_name(given, names);
  return near ? message("; did you mean '", *near, "'?") : std::string();
}

std::string hint_for_name(std::string_view name, const std::vector<std::string>& known) {
  if (name == "np" || name == "numpy") {
    return "; NumPy's code is explained by python -m tenstride explain FILE";
  }
  if (std::find(modules.begin(), modules.end(), name) != modules.end()) {
    return "; Python with its modules is explained by python -m tenstride explain FILE";
  }
  return did_you_mean(name, known);
}

std::string hint_for_torch(std::string_view name) {
  if (name == "range") return "; did you mean 'arange'? It leaves its end out";
  std::vector<std::string> names = operation_names(Form::function);
  names.emplace_back("manual_seed");
  return did_you_mean(name, names);
}

}  // namespace tenstride::detail
