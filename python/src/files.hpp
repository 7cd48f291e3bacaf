// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>

#include "tenstride/io/save.hpp"

namespace tenstride::python {

/// A str, or what `os.fspath` takes.
std::string path_of(nanobind::handle path);

/// How new chunks are cut and compressed, as `save` and `convert` are told; each may be None. Errors begin
/// with `operation`.
io::ChunkOptions chunk_options(nanobind::handle chunks, nanobind::handle shards, nanobind::handle codec,
                               std::optional<int> zarr_format, std::string_view operation);

/// Makes `load`, `save`, `memmap` and `checksum` in the module.
void define_files(nanobind::module_& module);

}  // namespace tenstride::python
