// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/predictor.hpp"

#include <bit>
#include <cstring>
#include <vector>

namespace tenstride::io {
namespace {

/// Adds to each number the one `samples` before it; they wrap around. `Number` has the width of an element.
template <typename Number>
void add_along(std::span<std::byte> row, std::size_t samples) {
  const std::size_t distance = samples * sizeof(Number);
  for (std::size_t at = distance; at < row.size(); at += sizeof(Number)) {
    Number before;
    Number number;
    std::memcpy(&before, row.data() + at - distance, sizeof before);
    std::memcpy(&number, row.data() + at, sizeof number);
    number = static_cast<Number>(number + before);
    std::memcpy(row.data() + at, &number, sizeof number);
  }
}

void add_elements_along(std::span<std::byte> row, std::size_t width, std::size_t samples) {
  if (width == 1) add_along<std::uint8_t>(row, samples);
  if (width == 2) add_along<std::uint16_t>(row, samples);
  if (width == 4) add_along<std::uint32_t>(row, samples);
  if (width == 8) add_along<std::uint64_t>(row, samples);
}

/// Makes elements of a row that has first the highest byte of each. `bytes` is room that is kept.
void join_bytes(std::span<std::byte> row, std::size_t width, std::vector<std::byte>& bytes) {
  bytes.assign(row.begin(), row.end());
  const std::size_t elements = row.size() / width;
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t place = std::endian::native == std::endian::little ? width - 1 - i : i;
    for (std::size_t at = 0; at < elements; ++at) row[at * width + place] = bytes[i * elements + at];
  }
}

}  // namespace

bool has_predictor(DType dtype, TiffPredictor predictor) {
  switch (predictor) {
    case TiffPredictor::none:
      return true;
    case TiffPredictor::horizontal:
      return dtype != DType::bool_ && item_size(dtype) <= 8;
    case TiffPredictor::floating_point:
      return is_floating_point(dtype);
  }
  return false;
}

void undo_predictor(TiffPredictor predictor, const TiffRow& row, std::span<std::byte> rows) {
  if (predictor == TiffPredictor::none) return;
  const std::size_t width = item_size(row.dtype);
  const auto samples = static_cast<std::size_t>(row.samples);
  std::vector<std::byte> bytes;
  for (std::size_t at = 0; at < rows.size(); at += row.nbytes()) {
    const std::span<std::byte> one = rows.subspan(at, row.nbytes());
    if (predictor == TiffPredictor::horizontal) {
      add_elements_along(one, width, samples);
    } else {
      add_along<std::uint8_t>(one, samples);
      join_bytes(one, width, bytes);
    }
  }
}

}  // namespace tenstride::io
