// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "io/hdf5/dataset.hpp"
#include "io/hdf5/hdf5_source.hpp"
#include "io/hdf5/libhdf5_driver.hpp"
#include "tenstride/base/dims.hpp"

namespace tenstride::io {

/// A dataset that is open in libhdf5. Pre of all functions, the destructor included: the lock is held.
class Hdf5Reader {
 public:
  /// Throws FileError. `input` must outlive this.
  Hdf5Reader(const Hdf5Input& input, const Hdf5Dataset& dataset, std::string_view operation);
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  /// The place of a chunk, by one search in the file's index.
  [[nodiscard]] Hdf5Chunk find(const Dims& index);
  /// Elements of a block of the dataset's chunk extents, in the file's byte order where the type is plain.
  /// What is beyond the dataset is zero.
  void read(const Dims& index, std::span<std::byte> elements);

 private:
  [[nodiscard]] Hdf5Id memory_type() const;
  [[noreturn]] void refuse_changed() const;

  const Hdf5Input* input_;
  const Hdf5Dataset* facts_;
  std::string operation_;
  Hdf5ReadFile driven_;
  Hdf5Id file_;
  Hdf5Id dataset_;
  /// That of the elements in memory, once some were read.
  Hdf5Id type_;
};

}  // namespace tenstride::io
