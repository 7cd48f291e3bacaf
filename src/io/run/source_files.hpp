// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "io/disk/disk.hpp"
#include "io/ends/unpacked_file.hpp"
#include "io/output/resumable_output.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// The files that the tensors of a job are read from, one open at a time.
class SourceFiles {
 public:
  /// Opens the first. Throws FileError.
  SourceFiles(const FileJob& job, DiskAccess access);

  /// Opens the file that has the elements of the tensor, unpacked first where they are in a stream.
  void open(const FileInfo& info);
  [[nodiscard]] const DiskFile& current() const { return *file_; }

 private:
  const FileJob& job_;
  DiskAccess access_;
  std::optional<UnpackedFile> unpacked_;
  std::optional<DiskFile> file_;
  /// The path of the file that is open.
  std::string path_;
  CompressedStream stream_;
};

/// What the destination is bound to: all files of a job, with their headers, its plan and its limits.
Binding bind_sources(const FileJob& job);

/// Throws FileError where a file is not as it was when it was bound.
void check_sources(const FileJob& job, const Binding& bound);

}  // namespace tenstride::io
