// SPDX-License-Identifier: Apache-2.0
// New HDF5 files.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/ends/chunk_store.hpp"
#include "io/format/flat_file.hpp"
#include "io/hdf5/codec.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride::io {

/// Everything of a new file but its elements, each tensor in one place, row-major. All metadata come before
/// the elements, which begin at multiples of 64. Names with / make groups, names of axes make scales (see
/// `write_hdf5_axis_names`). Throws ValueError, TypeError and RuntimeError for what HDF5 cannot hold.
/// Example: a tensor "a/b" of 50 GB has a head of 4 KiB, and one part behind it.
FlatFile plan_hdf5(const std::vector<NewTensor>& tensors, std::string_view operation);

/// How a new tensor is cut: as the options say, with chunks not longer than its axes. A tensor without axes
/// is one chunk. Throws ValueError.
ChunkGrid plan_hdf5_chunks(const NewTensor& tensor, const ChunkOptions& options, std::string_view operation);

/// A new file of tensors in chunks, which any threads write: they compress side by side, then one after the
/// other hands its chunk to libhdf5. The file appears whole at `commit`, or not at all. `options.codec` is as
/// `parse_hdf5_codec` takes it. Throws as `plan_hdf5`, and FileError.
std::unique_ptr<ChunkFile> create_hdf5(const std::string& path, const std::vector<NewTensor>& tensors,
                                       const ChunkOptions& options, Overwrite overwrite,
                                       std::string_view operation);

}  // namespace tenstride::io
