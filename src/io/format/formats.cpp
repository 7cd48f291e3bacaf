// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "io/format/format.hpp"
#include "io/format/known_formats.hpp"
#include "io/format/stack.hpp"

namespace tenstride::io {
namespace {

/// The first that takes a file for its own reads it.
constexpr std::array known_formats{&npy_format,    &png_format,         &jpeg_format,  &jpeg2000_format,
                                   &gif_format,    &npz_format,         &nifti_format, &nifti_packed_format,
                                   &tiff_format,   &safetensors_format, &zarr_format,  &hdf5_format,
                                   &netcdf_format, &raw_format};

}  // namespace

std::unique_ptr<ChunkSource> open_chunks(const FileInfo& info, std::string_view operation) {
  return info.files.empty() ? format_of(info.kind).chunks(info, operation) : stack_chunks(info, operation);
}

bool has_same_facts(FileKind kind, const FileFormat& format) {
  return kind == format.kind ||
         (kind != FileKind::unknown && format_of(kind).has_fields && format.has_fields);
}

bool has_suffix(std::string_view path, std::string_view suffix) {
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  return path.size() >= suffix.size() &&
         std::equal(suffix.begin(), suffix.end(), path.end() - static_cast<std::ptrdiff_t>(suffix.size()),
                    [&](char a, char b) { return a == lower(b); });
}

std::span<const FileFormat* const> file_formats() {
  return known_formats;
}

const FileFormat& format_of(FileKind kind) {
  return **std::find_if(known_formats.begin(), known_formats.end(),
                        [&](const FileFormat* format) { return format->kind == kind; });
}

const FileFormat* find_format(const FileStart& start) {
  // The elements of a NIfTI pair, told by the header beside them, may begin as a file of another kind does.
  if (nifti_format.is_kind_of(start)) return &nifti_format;
  // A zip archive may be Zarr's; of others, .npy files are looked for.
  if (zarr_format.is_kind_of(start)) return &zarr_format;
  for (const FileFormat* format : known_formats) {
    if (format->is_kind_of != nullptr && format->is_kind_of(start)) return format;
  }
  return nullptr;
}

const FileFormat* find_format_by_suffix(std::string_view path) {
  for (const FileFormat* format : known_formats) {
    for (const std::string_view suffix : format->suffixes) {
      if (!suffix.empty() && path.size() > suffix.size() && has_suffix(path, suffix)) return format;
    }
  }
  return nullptr;
}

}  // namespace tenstride::io
