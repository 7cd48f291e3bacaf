// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "io/zarr/zarr_sink.hpp"
#include "io/zarr/zarr_source.hpp"
#include "support/scratch.hpp"

/// Small arrays as bytes, element by element.
namespace tenstride::testing {

/// The metadata of an array of version 3, and of one of version 2.
inline const std::string zarr_json = R"({
  "zarr_format": 3, "node_type": "array", "shape": [5, 6], "data_type": "float32",
  "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
  "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
  "fill_value": "NaN", "attributes": {"k": [1, NaN, "a\"NaN"]}, "dimension_names": ["x", null],
  "codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
             {"name": "zstd", "configuration": {"level": 3, "checksum": true}}], "storage_transformers": []})";

inline const std::string zarray = R"({"zarr_format": 2, "shape": [5, 6], "chunks": [2, 3], "dtype": "<f4",
  "fill_value": 1.5, "order": "F", "filters": null, "dimension_separator": "/",
  "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}})";

/// The bytes of a value.
template <class T>
std::vector<std::byte> element(T value) {
  const auto* const first = reinterpret_cast<const std::byte*>(&value);
  return {first, first + sizeof value};
}

/// Row-major elements of random bytes; 0 and 1 for bool.
inline std::vector<std::byte> random_elements(Dice& dice, const Dims& shape, DType dtype) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count_elements(shape)) * item_size(dtype));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(dice.roll(dtype == DType::bool_ ? 2 : 256));
  return bytes;
}

/// Calls `f(n, m)` for each element of a chunk that lies in the tensor: its position there, row-major, and in
/// the chunk, by `layout`.
template <class F>
void for_each_element(const io::ChunkGrid& grid, const Dims& index, const Layout& layout, F&& f) {
  const Dims strides = row_major_strides(grid.shape);
  for (Index n = 0; n < count_elements(grid.chunk); ++n) {
    const Dims within = unravel(n, grid.chunk);
    Index whole = 0, part = 0;
    bool is_inside = true;
    for (std::size_t d = 0; d < within.size(); ++d) {
      const Index i = index[d] * grid.chunk[d] + within[d];
      is_inside = is_inside && i < grid.shape[d];
      whole += i * strides[d];
      part += within[d] * layout.strides[d];
    }
    if (is_inside) f(static_cast<std::size_t>(whole), static_cast<std::size_t>(part));
  }
}

/// The unit at `index` as a sink takes it.
inline std::vector<std::byte> unit_of(const io::ZarrSink& sink, const Dims& index,
                                      std::span<const std::byte> elements) {
  const std::size_t item = item_size(sink.dtype());
  const Layout layout = row_major(sink.grid().chunk);
  std::vector<std::byte> unit(static_cast<std::size_t>(numel(layout)) * item);
  io::fill_elements(unit, sink.array().fill_value);
  for_each_element(sink.grid(), index, layout, [&](std::size_t n, std::size_t m) {
    std::memcpy(unit.data() + m * item, elements.data() + n * item, item);
  });
  return unit;
}

/// Writes all units, and gives the bytes.
inline std::uint64_t write_all(io::ZarrSink& sink, std::span<const std::byte> elements) {
  const Dims counts = sink.grid().counts();
  std::uint64_t nbytes = 0;
  for (Index n = 0; n < count_elements(counts); ++n) {
    const Dims index = unravel(n, counts);
    nbytes += sink.write(index, unit_of(sink, index, elements));
  }
  return nbytes;
}

/// All elements, row-major.
inline std::vector<std::byte> read_all(const io::ChunkSource& source) {
  const std::size_t item = item_size(source.dtype());
  std::vector<std::byte> elements(static_cast<std::size_t>(count_elements(source.grid().shape)) * item);
  std::vector<std::byte> chunk(static_cast<std::size_t>(numel(source.chunk_layout())) * item);
  const Dims counts = source.grid().counts();
  for (Index n = 0; n < count_elements(counts); ++n) {
    const Dims index = unravel(n, counts);
    static_cast<void>(source.read(index, chunk));
    for_each_element(source.grid(), index, source.chunk_layout(), [&](std::size_t i, std::size_t m) {
      std::memcpy(elements.data() + i * item, chunk.data() + m * item, item);
    });
  }
  return elements;
}

}  // namespace tenstride::testing
