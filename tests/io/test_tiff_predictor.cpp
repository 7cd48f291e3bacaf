// SPDX-License-Identifier: Apache-2.0
// The predictors of TIFF, against their definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "io/tiff/predictor.hpp"

namespace tenstride::io {
namespace {

/// The bytes of an element, the highest first.
std::vector<std::byte> from_the_highest(std::span<const std::byte> element) {
  std::vector<std::byte> bytes(element.begin(), element.end());
  if (std::endian::native == std::endian::little) std::ranges::reverse(bytes);
  return bytes;
}

std::uint64_t number(std::span<const std::byte> element) {
  std::uint64_t result = 0;
  for (const std::byte byte : from_the_highest(element))
    result = result << 8 | std::to_integer<unsigned>(byte);
  return result;
}

void set_number(std::span<std::byte> element, std::uint64_t value) {
  for (std::size_t i = 0; i < element.size(); ++i) {
    const std::size_t place = std::endian::native == std::endian::little ? i : element.size() - 1 - i;
    element[place] = static_cast<std::byte>(value >> (8 * i));
  }
}

/// TIFF 6.0, section 14: from the end of the row on, each element less the one a pixel before it.
void predict_horizontally(const TiffRow& row, std::span<std::byte> bytes) {
  const std::size_t width = item_size(row.dtype);
  const auto samples = static_cast<std::size_t>(row.samples);
  for (std::size_t i = bytes.size() / width; i-- > samples;) {
    const std::span<std::byte> element = bytes.subspan(i * width, width);
    set_number(element, number(element) - number(bytes.subspan((i - samples) * width, width)));
  }
}

/// TIFF Technical Note 3: the bytes of all elements by their rank, then each less the one a pixel before it.
void predict_floats(const TiffRow& row, std::span<std::byte> bytes) {
  const std::size_t width = item_size(row.dtype);
  const std::size_t elements = bytes.size() / width;
  const std::vector<std::byte> before(bytes.begin(), bytes.end());
  for (std::size_t i = 0; i < elements; ++i) {
    const auto element = from_the_highest(std::span(before).subspan(i * width, width));
    for (std::size_t rank = 0; rank < width; ++rank) bytes[rank * elements + i] = element[rank];
  }
  const auto samples = static_cast<std::size_t>(row.samples);
  for (std::size_t i = bytes.size(); i-- > samples;) {
    bytes[i] = static_cast<std::byte>(std::to_integer<unsigned>(bytes[i]) -
                                      std::to_integer<unsigned>(bytes[i - samples]));
  }
}

TEST(TiffPredictor, IsUndone) {
  std::mt19937 random(3);
  int cases = 0;
  for (const DType dtype : {DType::uint8, DType::int8, DType::uint16, DType::int32, DType::uint64,
                            DType::float16, DType::float32, DType::float64, DType::complex64}) {
    for (const TiffPredictor predictor :
         {TiffPredictor::none, TiffPredictor::horizontal, TiffPredictor::floating_point}) {
      if (!has_predictor(dtype, predictor)) continue;
      for (const TiffRow row : {TiffRow{dtype, 1, 1}, {dtype, 7, 1}, {dtype, 5, 3}, {dtype, 1, 4}}) {
        std::vector<std::byte> elements(3 * row.nbytes());
        for (std::byte& byte : elements) byte = static_cast<std::byte>(random());
        std::vector<std::byte> predicted = elements;
        for (std::size_t at = 0; at < elements.size(); at += row.nbytes()) {
          const std::span<std::byte> one = std::span(predicted).subspan(at, row.nbytes());
          if (predictor == TiffPredictor::horizontal) predict_horizontally(row, one);
          if (predictor == TiffPredictor::floating_point) predict_floats(row, one);
        }
        undo_predictor(predictor, row, predicted);
        EXPECT_EQ(predicted, elements) << name(dtype) << ", predictor " << static_cast<int>(predictor) << ", "
                                       << row.pixels << " pixels of " << row.samples;
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 4 * (9 + 9 + 3));
}

TEST(TiffPredictor, HasTypes) {
  EXPECT_TRUE(has_predictor(DType::bool_, TiffPredictor::none));
  EXPECT_FALSE(has_predictor(DType::bool_, TiffPredictor::horizontal));
  EXPECT_FALSE(has_predictor(DType::complex128, TiffPredictor::horizontal));
  EXPECT_FALSE(has_predictor(DType::complex64, TiffPredictor::floating_point));
  EXPECT_FALSE(has_predictor(DType::int16, TiffPredictor::floating_point));
  EXPECT_FALSE(has_predictor(DType::uint8, static_cast<TiffPredictor>(9)));
}

}  // namespace
}  // namespace tenstride::io
