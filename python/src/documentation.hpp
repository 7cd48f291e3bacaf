// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "operations/call.hpp"

/// The docstrings of the table's operations.
namespace tenstride::python {

/// The name without its module, "diagonal" of "linalg.diagonal". Lives as long as the process.
const char* short_name(const detail::Operation& operation);

/// The operation's docstring with its signature in the form that `inspect` reads.
std::string documentation(const detail::Operation& operation, detail::Form form);

}  // namespace tenstride::python
