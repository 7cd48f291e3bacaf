// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tenstride/tensor/tensor.hpp"

/// Elements read and written one by one, without the library's copy engine: what it is measured against.
namespace replay {

/// What the imaginary parts of complex elements are.
enum class Imaginary { zero, counted_mod_7 };

/// Element n of the storage becomes n % 113 (bool: n % 2).
void fill_counting(tenstride::Tensor& tensor, Imaginary imaginary);

/// The CRC-32 of the elements' bytes in logical row-major order. Throws std::out_of_range where an element
/// lies outside the storage.
std::uint32_t crc_of_elements(const tenstride::Tensor& tensor);

/// dst = src + 1, element by element; both have one shape, and src's values fit dst's type.
void add_one(tenstride::Tensor& dst, const tenstride::Tensor& src);

}  // namespace replay
