// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "io/format/known_formats.hpp"
#include "io/input.hpp"
#include "io/nifti/header.hpp"
#include "io/nifti/permuted_attributes.hpp"
#include "io/stream/inflate_stream.hpp"

namespace tenstride::io {
namespace {

bool is_gzip(std::span<const std::byte> start) {
  return start.size() >= 2 && start[0] == std::byte{0x1f} && start[1] == std::byte{0x8b};
}

/// The length of the header in either byte order, and the magic behind it.
bool has_nifti_start(std::span<const std::byte> start) {
  using namespace std::string_view_literals;
  const std::string_view chars(reinterpret_cast<const char*>(start.data()), start.size());
  const auto begins_with = [&](std::string_view little, std::string_view big) {
    return chars.starts_with(little) || chars.starts_with(big);
  };
  if (begins_with("\x5c\x01\0\0"sv, "\0\0\x01\x5c"sv) && chars.size() >= 348) {
    const std::string_view magic = chars.substr(344, 4);
    return magic == "n+1\0"sv || magic == "ni1\0"sv;
  }
  if (begins_with("\x1c\x02\0\0"sv, "\0\0\x02\x1c"sv) && chars.size() >= 12) {
    const std::string_view magic = chars.substr(4, 4);
    return magic == "n+2\0"sv || magic == "ni2\0"sv;
  }
  return false;
}

/// The first bytes of what a gzip file holds.
std::vector<std::byte> unpacked_start(const std::string& path, std::uint64_t file_nbytes,
                                      std::string_view operation) {
  InflateStream stream(path, {0, file_nbytes}, "gzip", operation);
  std::vector<std::byte> start(max_nifti_header);
  start.resize(stream.read(start));
  return start;
}

bool is_nifti(const FileStart& start) {
  // What the name tells needs no undamaged start, and is refused with what is wrong.
  if (is_gzip(start.bytes) && start.path.ends_with(".nii.gz")) return true;
  if (!is_gzip(start.bytes)) return has_nifti_start(start.bytes);
  try {
    return has_nifti_start(unpacked_start(start.path, start.file_nbytes, "sniff"));
  } catch (const FileError&) {
    return false;
  }
}

FileInfo info_of(const NiftiHeader& header) {
  FileInfo info;
  info.format = tenstride::detail::message("NIfTI-", header.version);
  info.dtype = header.dtype;
  info.layout = header.layout;
  info.data_begin = header.data_begin;
  info.is_byte_swapped =
      header.byte_order == ByteOrder::swapped && item_size(component_type(header.dtype)) > 1;
  info.axis_names = header.axis_names;
  info.attributes = header.attributes;
  info.scale = header.scl_slope;
  info.shift = header.scl_inter;
  return info;
}

std::vector<FileInfo> list_nifti(const std::string& path, std::string_view operation) {
  const Storage file = map_input(path, operation);
  if (!is_gzip(bytes_of(file))) {
    const NiftiFile nifti = read_nifti(path, operation);
    FileInfo info = info_of(nifti.header);
    info.path = nifti.data_path;
    return {info};
  }
  const std::vector<std::byte> start = unpacked_start(path, file.nbytes(), operation);
  const NiftiHeader header = parse_nifti_header(start, UINT64_MAX, path);
  // How long the content is, only unpacking tells; it cannot be longer than this.
  const std::uint64_t max_nbytes = file.nbytes() * max_inflation;
  if (header.data_begin > max_nbytes || header.nbytes > max_nbytes - header.data_begin) {
    throw FileError(
        tenstride::detail::message("nifti: \"", path, "\" is a gzip file of ", file.nbytes(),
                                   " bytes, which unpack to at most ", max_nbytes, ", and must hold ",
                                   header.nbytes, " bytes of elements from byte ", header.data_begin,
                                   " on (shape ", header.layout.shape, ", ", name(header.dtype), ")"),
        path);
  }
  FileInfo info = info_of(header);
  info.storage = ElementStorage::stream;
  info.codec = "gzip";
  info.stream = {0, file.nbytes()};
  return {info};
}

FlatFile plan_nifti(const std::vector<NewTensor>& tensors, std::string_view operation) {
  const NewTensor& tensor = tensors.at(0);
  FlatFile file;
  file.head = nifti_header(tensor.shape, tensor.dtype, {tensor.attributes, std::string(operation)});
  const Layout layout = column_major(tensor.shape);
  file.parts.push_back({layout, file.head.size()});
  file.nbytes = file.head.size() + static_cast<std::uint64_t>(numel(layout)) * item_size(tensor.dtype);
  return file;
}

}  // namespace

const FileFormat nifti_format{.kind = FileKind::nifti,
                              .name = "NIfTI",
                              .description = "a NIfTI file",
                              .suffixes = {".nii"},
                              .orders = Orders::column_major,
                              .is_kind_of = is_nifti,
                              .list = list_nifti,
                              .permute_attributes = permute_nifti_attributes,
                              .plan_flat = plan_nifti};

}  // namespace tenstride::io
