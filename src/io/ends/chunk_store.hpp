// SPDX-License-Identifier: Apache-2.0
// What all formats that keep a tensor in chunks have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "io/plan/boxes.hpp"
#include "tenstride/base/dtype.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {

/// A tensor that is read chunk by chunk. All functions may be called by several threads at once.
class ChunkSource {
 public:
  virtual ~ChunkSource() = default;

  [[nodiscard]] virtual const ChunkGrid& grid() const noexcept = 0;
  [[nodiscard]] virtual DType dtype() const noexcept = 0;
  /// Where the elements of a decoded chunk stand, in elements; dense. Example: a chunk (4,4) that is kept
  /// column-major has (4,4):(1,4)+0.
  [[nodiscard]] virtual const Layout& chunk_layout() const noexcept = 0;
  /// Bytes of all chunks together as they are kept, to forecast what is read.
  [[nodiscard]] virtual std::uint64_t stored_nbytes() const = 0;
  /// Decodes the chunk at `index` of the grid into `elements`, all of it, in this machine's byte order; what
  /// the file does not have is the fill value. Bytes that were read are added to the result.
  /// Pre: `elements` has the size of a chunk. Throws FileError.
  virtual std::uint64_t read(const Dims& index, std::span<std::byte> elements) const = 0;
};

/// A tensor that is written unit by unit: a chunk, or a shard of several chunks. Each unit is written once,
/// whole, by any thread.
class ChunkSink {
 public:
  virtual ~ChunkSink() = default;

  /// The grid of the units.
  [[nodiscard]] virtual const ChunkGrid& grid() const noexcept = 0;
  [[nodiscard]] virtual DType dtype() const noexcept = 0;
  /// One element, which those beyond the tensor must be; empty: zero.
  [[nodiscard]] virtual std::span<const std::byte> fill_value() const noexcept = 0;
  /// Encodes and writes the unit at `index` from row-major elements of a whole unit; those beyond the tensor
  /// are the fill value already. The unit appears whole or not at all. Gives the bytes written. Throws
  /// FileError.
  virtual std::uint64_t write(const Dims& index, std::span<const std::byte> elements) = 0;
};

/// Whether a folder is made, or was made before and is written, or written again.
enum class ChunkFolder : unsigned char { create, existing };

/// A new file, or folder, of tensors in chunks. It has its name only after `commit`; without it nothing is
/// left.
class ChunkFile {
 public:
  virtual ~ChunkFile() = default;
  /// The sink of the tensor with that number.
  [[nodiscard]] virtual ChunkSink& sink(std::size_t number) = 0;
  /// Where the tensor can be read again before `commit`. Throws FileError.
  [[nodiscard]] virtual std::unique_ptr<ChunkSource> read_back(std::size_t number) const = 0;
  virtual void commit() = 0;
};

/// A new file, or folder, of tensors whose axes are permuted while their chunks stay as they are stored.
/// Nothing is made before `begin`. It has its name only after `commit`; without it nothing is left.
class PermutedFile {
 public:
  virtual ~PermutedFile() = default;
  /// The number of files of chunks that there may be, of the tensor with that number.
  [[nodiscard]] virtual Index units(std::size_t number) const = 0;
  /// Bytes that are copied at most.
  [[nodiscard]] virtual std::uint64_t max_copied_nbytes() const = 0;
  /// Writes what there is beside chunks. Throws FileError.
  virtual void begin() = 0;
  /// Brings units of a tensor to the new file, by several threads. Gives the bytes copied. Throws FileError.
  virtual std::uint64_t move(std::size_t number, Index first, Index last) = 0;
  /// Where the tensor can be read again before `commit`. Throws FileError.
  [[nodiscard]] virtual std::unique_ptr<ChunkSource> read_back(std::size_t number) const = 0;
  virtual void commit() = 0;
};

}  // namespace tenstride::io
