// SPDX-License-Identifier: Apache-2.0
// Which file has a header, which its elements: NAME.nii, or NAME.hdr with NAME.img, each with or without .gz.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/format/format.hpp"
#include "io/nifti/header.hpp"

namespace tenstride::io {

enum class NiftiPacking : unsigned char { none, gzip };

/// A header, and the file that has its elements.
struct NiftiFile {
  NiftiHeader header;
  std::string data_path;
  /// How that file is packed: `header.data_begin` counts bytes of its content.
  NiftiPacking packing = NiftiPacking::none;
  std::uint64_t data_nbytes = 0;
  /// Whether the header is followed by extensions of more than `max_nifti_extensions` bytes, so that they are
  /// not read.
  bool are_extensions_too_long = false;
};

inline constexpr std::uint64_t max_nifti_extensions = std::uint64_t{1} << 26;

/// Where a new file of a name has its header and its elements: in one file NAME.nii, or in the pair that
/// either half names.
struct NewNiftiNames {
  std::string header;
  std::string elements;
  NiftiPacking packing = NiftiPacking::none;
};
/// Example: of "brain.img.gz" the header is "brain.hdr.gz".
NewNiftiNames new_nifti_names(const std::string& path);

/// Everything of a new single file but its elements.
FlatFile plan_nifti(const std::vector<NewTensor>& tensors, std::string_view operation);

/// Whether a file is NIfTI or ANALYZE 7.5 by its content, or by its name and its other half: elements may
/// begin as any file does.
bool is_nifti(const FileStart& start);

/// Reads the header of NAME.nii or NAME.nii.gz, or of a pair by the name of either half, checked against the
/// length of the file with the elements, which are not read. Throws FileError. Example:
/// `read_nifti("brain.hdr.gz").data_path == "brain.img.gz"`, or "brain.img" where only that is there.
TENSTRIDE_API NiftiFile read_nifti(const std::string& path, std::string_view operation = "nifti");

}  // namespace tenstride::io
