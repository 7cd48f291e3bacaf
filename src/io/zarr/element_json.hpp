// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "io/format/numpy_dtype.hpp"
#include "io/zarr/json_field.hpp"
#include "io/zarr/metadata.hpp"
#include "tenstride/base/dtype.hpp"

namespace tenstride::io {

/// The element type of version 2: "<f4", "|u1"; int64 of "<M8[ns]". Throws FileError.
ZarrElement parse_zarr_dtype(const JsonField& field);
/// The element type of version 3: "float32"; int64 of numpy.datetime64. Throws FileError.
DType parse_zarr_data_type(const JsonField& field);
/// The times that a type of either version is of.
std::optional<NumpyTime> find_zarr_time(const JsonField& field);

/// Times of version 3: numpy.datetime64 with its configuration.
nlohmann::json zarr_time_json(const NumpyTime& time);

/// The name in version 2. Throws FileError, which names `folder`, for a type that it does not have.
std::string zarr_dtype_text(ZarrElement element, std::string_view folder);
/// The name in version 3. Throws FileError, which names `folder`, for a type that it does not have.
std::string zarr_data_type_text(DType dtype, std::string_view folder);

/// One element in this machine's byte order: a number, true, "NaN", "-Infinity", the bits "0x7fc00000"; of a
/// complex type a list of two; nothing of version 2's null; of version 2 also base64 of the element's bytes;
/// of times also "NaT". Example: of 1 and uint16 the bytes 01 00, on a little-endian machine. Throws
/// FileError.
std::vector<std::byte> parse_zarr_fill(const JsonField& field, ZarrElement element, int format,
                                       const std::optional<NumpyTime>& time = std::nullopt);
/// The reverse. A NaN with other bits than Python's is written as bits in version 3.
nlohmann::json zarr_fill_json(const std::vector<std::byte>& fill, DType dtype, int format);

}  // namespace tenstride::io
