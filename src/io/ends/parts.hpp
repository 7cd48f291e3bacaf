// SPDX-License-Identifier: Apache-2.0
// The two ends of a copy in chunks: what is read and written at a time, whatever the file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "files/descriptor.hpp"
#include "io/ends/chunk_store.hpp"
#include "io/plan/boxes.hpp"
#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// Reads boxes of a tensor. For any number of threads at once.
class PartReader {
 public:
  virtual ~PartReader() = default;
  [[nodiscard]] virtual DType dtype() const noexcept = 0;
  /// The boxes that have all of `needed`; each is read as a whole.
  [[nodiscard]] virtual std::vector<Box> parts(const Box& needed) const = 0;
  /// Bytes of a part's elements.
  [[nodiscard]] virtual std::size_t nbytes(const Box& part) const = 0;
  /// Reads a part into a buffer of so many bytes, and says where its elements stand in it. Adds the bytes
  /// that were read from the disk. Throws FileError.
  virtual Layout read(const Box& part, std::span<std::byte> buffer, std::uint64_t& nbytes_read) const = 0;
};

/// Writes boxes of a tensor, each once. For any number of threads at once.
class PartWriter {
 public:
  virtual ~PartWriter() = default;
  [[nodiscard]] virtual DType dtype() const noexcept = 0;
  /// The boxes of a tile, each written as a whole. They may reach beyond the tensor.
  [[nodiscard]] virtual std::vector<Box> parts(const Box& tile) const = 0;
  /// Where the elements of a part stand in its buffer.
  [[nodiscard]] virtual Layout layout(const Box& part) const = 0;
  /// What elements beyond the tensor must be; empty: zero.
  [[nodiscard]] virtual std::span<const std::byte> fill_value() const noexcept = 0;
  /// Gives the bytes written. Throws FileError.
  virtual std::uint64_t write(const Box& part, std::span<const std::byte> elements) = 0;
};

/// Parts are chunks.
class ChunkPartReader final : public PartReader {
 public:
  explicit ChunkPartReader(const ChunkSource& source) : source_(source) {}
  [[nodiscard]] DType dtype() const noexcept override { return source_.dtype(); }
  [[nodiscard]] std::vector<Box> parts(const Box& needed) const override;
  [[nodiscard]] std::size_t nbytes(const Box& part) const override;
  Layout read(const Box& part, std::span<std::byte> buffer, std::uint64_t& nbytes_read) const override;

 private:
  const ChunkSource& source_;
};

/// Parts are units.
class ChunkPartWriter final : public PartWriter {
 public:
  explicit ChunkPartWriter(ChunkSink& sink) : sink_(sink) {}
  [[nodiscard]] DType dtype() const noexcept override { return sink_.dtype(); }
  [[nodiscard]] std::vector<Box> parts(const Box& tile) const override;
  [[nodiscard]] Layout layout(const Box& part) const override { return row_major(part.extents); }
  [[nodiscard]] std::span<const std::byte> fill_value() const noexcept override { return sink_.fill_value(); }
  std::uint64_t write(const Box& part, std::span<const std::byte> elements) override;

 private:
  ChunkSink& sink_;
};

/// Elements that lie one after the other in a file: parts are boxes of at most `part` along each axis.
class FlatPartReader final : public PartReader {
 public:
  /// Opens the file. Throws FileError.
  FlatPartReader(const FileInfo& info, const Dims& part, std::string_view operation);
  [[nodiscard]] DType dtype() const noexcept override { return info_.dtype; }
  [[nodiscard]] std::vector<Box> parts(const Box& needed) const override;
  [[nodiscard]] std::size_t nbytes(const Box& part) const override;
  Layout read(const Box& part, std::span<std::byte> buffer, std::uint64_t& nbytes_read) const override;

 private:
  FileInfo info_;
  Dims part_;
  std::string operation_;
  Descriptor file_;
};

/// Parts that are written, into a file that is there and long enough.
class FlatPartWriter final : public PartWriter {
 public:
  /// `info`: the tensor as it will stand in the file.
  FlatPartWriter(const FileInfo& info, const Dims& part, std::string_view operation);
  [[nodiscard]] DType dtype() const noexcept override { return info_.dtype; }
  [[nodiscard]] std::vector<Box> parts(const Box& tile) const override;
  [[nodiscard]] Layout layout(const Box& part) const override;
  [[nodiscard]] std::span<const std::byte> fill_value() const noexcept override { return {}; }
  std::uint64_t write(const Box& part, std::span<const std::byte> elements) override;

 private:
  void write_run(std::span<const std::byte> bytes, std::uint64_t begin) const;

  FileInfo info_;
  Dims part_;
  std::string operation_;
  Descriptor file_;
};

}  // namespace tenstride::io
