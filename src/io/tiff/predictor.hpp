// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride::io {

/// How elements were changed before they were compressed, by the numbers of the tag Predictor.
enum class TiffPredictor : std::uint16_t {
  none = 1,
  /// From each element the one a pixel before it in the row was subtracted (TIFF 6.0, section 14). Elements
  /// count as integers, a complex64 as one.
  horizontal = 2,
  /// The bytes of a row's floats, first the highest byte of each, then the next; and of each byte the one a
  /// pixel before it was subtracted (TIFF Technical Note 3).
  floating_point = 3
};

/// Whether elements of the type can have this predictor.
bool has_predictor(DType dtype, TiffPredictor predictor);

/// A row of pixels.
struct TiffRow {
  DType dtype = DType::uint8;
  Index pixels = 0;
  /// How many elements of a pixel stand side by side.
  Index samples = 1;

  [[nodiscard]] std::size_t nbytes() const {
    return static_cast<std::size_t>(pixels * samples) * item_size(dtype);
  }
};

/// Gives whole rows their elements back, in this machine's byte order. Before, they are in this order, too;
/// but for `floating_point`, whose bytes have the same in all files. Pre: has_predictor(row.dtype,
/// predictor).
void undo_predictor(TiffPredictor predictor, const TiffRow& row, std::span<std::byte> rows);

}  // namespace tenstride::io
