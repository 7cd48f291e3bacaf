// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/descriptor.hpp"
#include "io/npz/archive.hpp"
#include "io/zarr/read_file.hpp"

namespace tenstride::io {

/// The files of arrays and groups, in a folder or in a zip archive as zarr-python's ZipStore writes it. Names
/// are from the root on: "a/zarr.json". The root of an archive is its top, or the one folder there.
class ZarrStore {
 public:
  /// A folder that is missing is one without files. Throws FileError.
  explicit ZarrStore(const std::string& path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] bool is_archive() const noexcept { return members_.has_value(); }
  /// The name as errors tell it: "x.zarr/a/zarr.json".
  [[nodiscard]] std::string path_of(const std::string& name) const;

  /// Nothing where there is no such file. Throws FileError.
  [[nodiscard]] std::optional<InputFile> open(const std::string& name) const;
  /// All of a file of metadata, likewise.
  [[nodiscard]] std::optional<std::string> read_text(const std::string& name) const;
  /// The folders in a folder. Adds what was looked at to `entries`, which must not become more than
  /// `max_entries`. Throws FileError.
  [[nodiscard]] std::vector<std::string> folders_in(const std::string& name, std::size_t& entries,
                                                    std::size_t max_entries) const;
  /// The bytes of all files below a folder but those of metadata. Throws FileError.
  [[nodiscard]] std::uint64_t stored_nbytes(const std::string& name) const;

 private:
  std::string path_;
  Descriptor folder_;
  /// Those of an archive.
  std::optional<std::map<std::string, ZipMember, std::less<>>> members_;
};

/// Whether a file is a zip archive with an array or a group of Zarr's at its root; of a damaged one false.
bool is_zarr_archive(const std::string& path);

}  // namespace tenstride::io
