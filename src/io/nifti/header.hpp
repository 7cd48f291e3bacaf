// SPDX-License-Identifier: Apache-2.0
// NIfTI-1 and NIfTI-2, the format of medical images: https://nifti.nimh.nih.gov
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/nifti/datatype.hpp"
#include "tenstride/base/dtype.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/io/npy.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {

/// Where the elements are: behind the header, or in the file NAME.img beside NAME.hdr. The header's mark says
/// it: 'n+1' or 'ni1'.
enum class NiftiFiles : unsigned char { single, pair };

/// What the header of a NIfTI file says.
struct NiftiHeader {
  /// 1 or 2.
  int version = 1;
  /// Whether it is of ANALYZE 7.5, which has the fields of NIfTI-1 that say where elements are.
  bool is_analyze = false;
  NiftiFiles files = NiftiFiles::single;
  DType dtype = DType::float32;
  ByteOrder byte_order = ByteOrder::native;
  /// Where the elements lie, counted in elements from `data_begin` on; column-major. Colours of RGB24 and
  /// RGBA32 are the first axis, of uint8.
  Layout layout;
  /// The byte where the first element begins, of this file or of NAME.img. A multiple of nothing.
  std::uint64_t data_begin = 0;
  /// Bytes of all elements; more may follow.
  std::uint64_t nbytes = 0;
  /// The values are element * scl_slope + scl_inter. 1 and 0 where the file does not scale: its slope is 0 or
  /// not finite.
  double scl_slope = 1;
  double scl_inter = 0;
  /// One for each axis: "x", "y", "z", "t", "c" and "v", "w", as many as the file has; "rgb" or "rgba" for
  /// colours. "" where the fourth axis is one of frequencies or shifts.
  std::vector<std::string> axis_names;
  /// The other fields, as the text of a JSON object; `nifti_header` takes it. See attributes.hpp.
  std::string attributes;
  /// Extensions as `FurtherFacts` has them; set by `read_nifti`.
  std::string extensions{};

  [[nodiscard]] bool is_scaled() const { return scl_slope != 1 || scl_inter != 0; }
};

/// The bytes that `parse_nifti_header` has to be given, where the file has them; with those that tell whether
/// extensions follow.
inline constexpr std::size_t max_nifti_header = 544;

/// Reads the header of a file of `file_size` bytes. The elements must lie in a single file; those of a pair
/// are checked by `check_nifti_data`. `start` is the whole file or at least its first `max_nifti_header`
/// bytes; `name` is for errors. Throws FileError. Example: of a file of 64×64×20 voxels of float32 the layout
/// is (64,64,20):(1,64,4096)+0 and data_begin 352.
TENSTRIDE_API NiftiHeader parse_nifti_header(std::span<const std::byte> start, std::uint64_t file_size,
                                             std::string_view name);

/// The extensions in `bytes`, which follow the 4 bytes behind the header: the size and code of each in this
/// machine's byte order, whatever `order` they have there. Ends with the first that is none.
TENSTRIDE_API std::string parse_nifti_extensions(std::string_view bytes, ByteOrder order);

/// Throws FileError where the elements do not lie in a file of `data_size` bytes.
TENSTRIDE_API void check_nifti_data(const NiftiHeader& header, std::uint64_t data_size,
                                    std::string_view data_name);

struct NiftiOptions {
  /// The text of a JSON object as `NiftiHeader::attributes`; "" for none. Who applies `scl_slope` leaves it
  /// and `scl_inter` out.
  std::string attributes = {};
  /// The extensions behind the header, as `FurtherFacts` has them.
  std::string extensions = {};
  /// Begins the errors.
  std::string operation = "save_nifti";
};

/// All bytes of a single file before its elements, which follow column-major in this machine's byte order.
/// NIfTI-1 where each size is at most 32767, otherwise NIfTI-2: 352 or 544 bytes and
/// the extensions. Without attributes voxels have the size 1 and no transform (both codes are 0).
/// Throws TypeError for element types that NIfTI lacks, ShapeError for a shape that is not of 1 to 7 sizes
/// from 1 on, OverflowError, and ValueError for attributes that no header can hold. Example:
/// `nifti_header({64, 64, 20}, DType::float32).size() == 352`.
TENSTRIDE_API std::string nifti_header(const Dims& shape, DType dtype, const NiftiOptions& options = {});

/// The header of a pair, whose elements are a file of their own. `single`: that of a single file.
std::string nifti_pair_header(std::string single);

}  // namespace tenstride::io
