// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "io/format/known_formats.hpp"
#include "io/nifti/analyze.hpp"
#include "io/nifti/files.hpp"
#include "io/nifti/true_attributes.hpp"

namespace tenstride::io {
namespace {

FileInfo info_of(const NiftiHeader& header) {
  FileInfo info;
  info.format = header.is_analyze ? "ANALYZE 7.5" : tenstride::detail::message("NIfTI-", header.version);
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
  const NiftiFile nifti = read_nifti(path, operation);
  FileInfo info = info_of(nifti.header);
  info.path = nifti.data_path;
  info.further.header_extensions = nifti.header.extensions;
  if (nifti.are_extensions_too_long) {
    info.further.unread_attributes = R"({"header extensions":"they are longer than 64 MiB"})";
  }
  if (nifti.packing == NiftiPacking::gzip) {
    info.storage = ElementStorage::stream;
    info.codec = "gzip";
    info.stream = {0, nifti.data_nbytes};
  }
  return {info};
}

}  // namespace

FlatFile plan_nifti(const std::vector<NewTensor>& tensors, std::string_view operation) {
  const NewTensor& tensor = tensors.at(0);
  FlatFile file;
  file.head = nifti_header(tensor.shape, tensor.dtype,
                           {tensor.attributes, tensor.further.header_extensions, std::string(operation)});
  const Layout layout = column_major(tensor.shape);
  file.parts.push_back({layout, file.head.size()});
  file.nbytes = file.head.size() + static_cast<std::uint64_t>(numel(layout)) * item_size(tensor.dtype);
  return file;
}

const FileFormat nifti_format{.kind = FileKind::nifti,
                              .name = "NIfTI",
                              .description = "a NIfTI file",
                              .suffixes = {".nii"},
                              .orders = Orders::column_major,
                              .facts = TensorFacts::attributes,
                              .has_fields = true,
                              .is_kind_of = is_nifti,
                              .list = list_nifti,
                              .keep_true = keep_true_nifti,
                              .keep_written = keep_fields_of_nifti,
                              .plan_flat = plan_nifti};

}  // namespace tenstride::io
