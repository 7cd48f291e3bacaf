// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "base/message.hpp"
#include "io/nifti/attributes.hpp"
#include "io/nifti/fields.hpp"
#include "io/nifti/header.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// The sizes of the voxels' axes, without one of colours.
struct VoxelShape {
  Dims sizes;
  std::int16_t datatype = 0;
  std::int64_t bits = 0;
};

VoxelShape voxel_shape(const Dims& shape, DType dtype, const NiftiOptions& options) {
  VoxelShape result;
  const Index colors = nifti_colors(options.attributes, options.operation);
  const bool has_colors = colors > 0 && dtype == DType::uint8 && shape.size() > 1 && shape[0] == colors;
  if (has_colors) {
    result.datatype = colors == 3 ? nifti_rgb24 : nifti_rgba32;
    result.bits = 8 * colors;
  } else {
    const std::optional<std::int16_t> code = nifti_datatype(dtype);
    if (!code) {
      const std::string_view fix = dtype == DType::bool_ ? "uint8"
                                   : is_complex(dtype)   ? "complex64"
                                                         : "float32";
      throw TypeError(message(options.operation, ": elements of ", name(dtype),
                              " must be of a type that NIfTI has; use .to(", fix, ")"));
    }
    result.datatype = *code;
    result.bits = static_cast<std::int64_t>(8 * item_size(dtype));
  }
  for (std::size_t d = has_colors ? 1 : 0; d < shape.size(); ++d) result.sizes.push_back(shape[d]);
  return result;
}

void require_voxels(const Dims& sizes, const Dims& shape, DType dtype, std::string_view operation) {
  const bool has_any = !sizes.empty() && *std::min_element(sizes.begin(), sizes.end()) >= 1;
  if (!has_any || sizes.size() > 7) {
    throw ShapeError(message(operation, ": shape ", shape, " must have 1 to 7 axes of at least 1 (NIfTI)"),
                     shape, shape);
  }
  checked_multiply(count_elements(shape, operation), static_cast<Index>(item_size(dtype)), operation);
}

/// Voxels of size 1 without a unit, at no known place: sform_code and qform_code are 0.
void put_unit_sizes(NiftiOutput& header) {
  for (std::size_t i = 0; i < 8; ++i) header.put_number(nifti_field::pixdim, 1, i);
}

}  // namespace

std::string nifti_header(const Dims& shape, DType dtype, const NiftiOptions& options) {
  using namespace std::string_view_literals;
  const VoxelShape voxels = voxel_shape(shape, dtype, options);
  require_voxels(voxels.sizes, shape, dtype, options.operation);
  const bool is_one = *std::max_element(voxels.sizes.begin(), voxels.sizes.end()) <= 32767;
  NiftiOutput header(is_one ? NiftiVersion::one : NiftiVersion::two);
  put_unit_sizes(header);
  put_nifti_attributes(header, options.attributes, options.operation);
  const auto nbytes = static_cast<std::int32_t>(nifti_header_nbytes(header.version()));
  header.put({"sizeof_hdr", {NiftiFieldType::int32, 0}, {NiftiFieldType::int32, 0}}, nbytes);
  header.put_bytes(is_one ? 344 : 4, is_one ? "n+1\0"sv : "n+2\0\r\n\x1a\n"sv);
  if (is_one) header.put_bytes(38, "r");  // `regular`, which old programs look at
  header.put(nifti_field::datatype, voxels.datatype);
  header.put(nifti_field::bitpix, voxels.bits);
  const std::size_t start = nifti_start_nbytes(header.version());
  if (!options.extensions.empty()) header.put_bytes(start - 4, "\1");
  std::string extensions = options.extensions;
  extensions.resize((extensions.size() + 15) / 16 * 16);  // elements begin at a multiple of 16
  header.put(nifti_field::vox_offset, static_cast<std::int64_t>(start + extensions.size()));
  header.put(nifti_field::dim, static_cast<std::int64_t>(voxels.sizes.size()));
  for (std::size_t i = 0; i < 7; ++i) {
    header.put(nifti_field::dim, i < voxels.sizes.size() ? voxels.sizes[i] : 1, i + 1);
  }
  return header.bytes() + extensions;
}

std::string nifti_pair_header(std::string single) {
  const NiftiVersion version = single[4] == 'n' ? NiftiVersion::two : NiftiVersion::one;
  const NiftiFieldPlace offset = nifti_field::vox_offset.place(version);
  single[version == NiftiVersion::one ? 345 : 5] = 'i';
  single.replace(offset.begin, width(offset.type), width(offset.type), '\0');
  return single;
}

}  // namespace tenstride::io
