// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace tenstride::python {

/// A str, or what `os.fspath` takes.
std::string path_of(nanobind::handle path);

/// Makes `load`, `save`, `memmap` and `checksum` in the module.
void define_files(nanobind::module_& module);

}  // namespace tenstride::python
