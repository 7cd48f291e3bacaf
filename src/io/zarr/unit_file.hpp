// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "files/descriptor.hpp"
#include "io/zarr/read_file.hpp"

namespace tenstride::io {

/// A file that appears under its name whole or not at all, as an AtomicFile does, for arrays of many files:
/// it is not flushed to the disk one by one, the folders of its name are made, and a file of the name is
/// replaced. Written as `.tenstride-<16 hex digits>.tmp` in the same folder. Several threads may have one
/// each.
class UnitFile {
 public:
  /// `name`: from `folder` on. `path` is for errors. Throws FileError.
  UnitFile(int folder, const std::string& name, const std::string& path);
  /// Removes what was not committed.
  ~UnitFile();
  UnitFile(const UnitFile&) = delete;
  UnitFile& operator=(const UnitFile&) = delete;

  /// Appends. Throws FileError.
  void write(std::span<const std::byte> bytes);
  /// Writes from a byte on, which may be beyond the end; what `write` appends is not moved. Throws FileError.
  void write_at(std::span<const std::byte> bytes, std::uint64_t begin);
  /// Appends all of a file, by the file system itself where it can. `path` is the file's. Gives the bytes
  /// copied: 0 where both files share them from now on (XFS, Btrfs). Throws FileError.
  std::uint64_t copy(const InputFile& input, const std::string& path);
  /// How many bytes there are, or were skipped.
  [[nodiscard]] std::uint64_t nbytes() const noexcept { return nbytes_; }
  /// Leaves bytes to be written by write_at.
  void skip(std::uint64_t nbytes) noexcept { nbytes_ += nbytes; }
  /// Gives the file its name. Throws FileError.
  void commit();

 private:
  int folder_;
  std::string name_;
  std::string path_;
  std::string temporary_;
  Descriptor file_;
  std::uint64_t nbytes_ = 0;
};

/// Gives a file a second name, from `folder` on, whose folders are made; false where the file system cannot.
/// Who writes into one of them writes into both. `path` is for errors. Throws FileError.
bool link_unit(const std::string& src_path, int folder, const std::string& name, const std::string& path);

}  // namespace tenstride::io
