// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tenstride/io/file.hpp"
#include "tenstride/io/npy.hpp"

namespace tenstride::io {

/// The length of a file that only unpacking tells: then no header says too much.
inline constexpr std::size_t unknown_file_size = SIZE_MAX;

/// Parses a header as `parse_npy_header`, but also for elements that are no numbers of a known type: of
/// these the header has an obstacle, the shape, and no more.
NpyHeader parse_any_npy_header(std::span<const std::byte> start_of_file, std::size_t file_size,
                               std::string_view name);

/// Everything before the elements, which are times where the attributes say so. Throws as
/// `detail::npy_header_text`.
std::string npy_head(const Dims& shape, DType dtype, ElementOrder order, std::string_view attributes,
                     std::string_view operation);

/// What a .npy header says, of a file that has nothing else.
FileInfo npy_info(const NpyHeader& header);

}  // namespace tenstride::io
