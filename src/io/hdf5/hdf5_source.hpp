// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/ends/chunk_store.hpp"
#include "io/hdf5/dataset.hpp"

namespace tenstride::io {

/// Where the bytes of a chunk stand. Without bytes: the chunk is missing, its elements are the fill value.
struct Hdf5Chunk {
  std::uint64_t begin = 0;
  std::uint64_t nbytes = 0;
  /// Bit i: filter i was left out.
  std::uint32_t mask = 0;
};

/// The most entries of a table of places of all chunks, which is read when the dataset is opened. Above,
/// each place is looked up when its chunk is read.
inline constexpr std::uint64_t max_hdf5_table = std::uint64_t{1} << 20;

/// The elements of a dataset that are not in one place of the file. Chunks without filters, or with deflate,
/// shuffle, fletcher32 and lzf, are read and decoded by any number of threads at once, without libhdf5. What
/// only libhdf5 can decode (szip, nbit, scaleoffset, plugins), and places of more than 2^20 chunks, child
/// processes read through it, one for each thread that reads: libhdf5 1.10 writes beyond its memory where the
/// data of a scaleoffset chunk or of a compact dataset are damaged, even if the metadata are not.
///
/// Example: the first chunk of a float32 dataset.
/// ```
/// const auto source = open_hdf5_source("a.h5", "group/data");
/// std::vector<float> chunk(numel(source->chunk_layout()));
/// source->read(Dims::filled(source->grid().shape.size(), 0), std::as_writable_bytes(std::span(chunk)));
/// ```
/// Throws FileError, also where there is no such dataset.
std::unique_ptr<ChunkSource> open_hdf5_source(const std::string& path, const std::string& name,
                                              std::string_view operation = "load");

}  // namespace tenstride::io
