// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "expression/call.hpp"

namespace tenstride::python {

/// What `help` shows of an operation: its signature in the form that `inspect` reads, then its text.
std::string documentation(const detail::Operation& operation, detail::Form form);

/// The text of an operation of that name: what comes back, errors, an example. Empty where there is none.
std::string_view operation_text(std::string_view name);

}  // namespace tenstride::python
