// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "tenstride/base/index.hpp"

namespace tenstride::python {

/// Elements below which giving up the GIL costs more than it gains others.
inline constexpr Index elements_without_gil = Index{1} << 14;

/// What `work()` gives, while other threads of Python run where that is worth it. The work touches no object
/// of Python's.
template <typename Work>
auto without_gil(bool is_worth_it, const Work& work) {
  if (!is_worth_it) return work();
  const nanobind::gil_scoped_release released;
  return work();
}

}  // namespace tenstride::python
