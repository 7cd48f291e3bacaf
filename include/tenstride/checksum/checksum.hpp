// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tenstride/layout/layout.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride {

/// A checksum of elements in logical (row-major) order: the same whatever the strides, the order in a file or
/// the order of the parts. Each element is hashed with its position, and the hashes are added, so that the
/// checksums of parts that do not overlap add up to that of the whole. No elements have the checksum 0. Shape
/// and dtype do not count. Not for security. docs/convert.md defines it and says what it detects.
struct Checksum {
  std::array<std::uint64_t, 2> words{};

  Checksum& operator+=(const Checksum& other) noexcept {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] += other.words[i];
    return *this;
  }
  friend Checksum operator+(Checksum a, const Checksum& b) noexcept { return a += b; }
  friend bool operator==(const Checksum&, const Checksum&) = default;
};

/// 32 hexadecimal digits, those of the first word first. Example: `to_string(checksum(arange(6, {.dtype =
/// DType::float32})))` is "4908bee0692dedb29fd873803cd55182".
TENSTRIDE_API std::string to_string(const Checksum& checksum);

/// The checksum of all elements, by their bits (of a conjugated or negated view by those it shows). Reads
/// each once, with `num_threads()` from 1 MiB on. Throws RuntimeError for a tensor without memory.
TENSTRIDE_API Checksum checksum(const Tensor& x);

/// The checksum of a part of a larger tensor: `positions` has the part's shape and gives the position of each
/// of its elements in the row-major order of the whole. Example: of rows 10 to 19 of x, (100,7), the
/// positions are `narrow(row_major({100, 7}), 0, 10, 10)`, and the checksums of ten such parts add up to
/// `checksum(x)`. Throws ShapeError where the shapes differ, OverflowError where a position does not fit, and
/// as above.
TENSTRIDE_API Checksum checksum(const Tensor& part, const Layout& positions);

}  // namespace tenstride
