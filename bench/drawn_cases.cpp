// SPDX-License-Identifier: Apache-2.0
#include "drawn_cases.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "draw.hpp"
#include "tenstride/layout/views.hpp"

namespace tenstride::bench {
namespace {

/// One type of each size: a copy without a conversion depends on the size alone.
constexpr std::array moved_types{DType::uint8, DType::float16, DType::float32, DType::float64,
                                 DType::complex128};
constexpr std::array converted_types{DType::uint8,   DType::int16, DType::float16, DType::bfloat16,
                                     DType::float32, DType::int32, DType::float64, DType::int64};

CopyCase made(const std::string& family, DType from, DType to, const Dims& source, const Dims& order) {
  CopyCase drawn;
  drawn.family = family;
  drawn.src_type = from;
  drawn.dst_type = to;
  drawn.source = source;
  drawn.view = permute(row_major(source), order);
  drawn.name = shape_name(source, from);
  if (from != to) drawn.name += " -> " + std::string(name(to));
  if (order != identity_order(order.size())) drawn.name += " " + permutation_name(order);
  return drawn;
}

CopyCase permuted(Draw& draw, DType from, DType to, const std::string& family) {
  const std::size_t rank = 2 + draw.one_of(6);
  const DType larger = item_size(from) < item_size(to) ? to : from;
  const Dims shape = draw.extents(rank, draw.elements(larger));
  return made(family, from, to, shape, draw.shuffled(rank));
}

CopyCase permutation(Draw& draw) {
  const DType type = draw.any(moved_types);
  return permuted(draw, type, type, "drawn permutations");
}

CopyCase conversion(Draw& draw) {
  const DType from = draw.any(converted_types);
  DType to = draw.any(converted_types);
  while (to == from) to = draw.any(converted_types);
  return permuted(draw, from, to, "drawn conversions");
}

CopyCase batch(Draw& draw) {
  const DType type = draw.any(moved_types);
  const Index rows = draw.log_uniform(2, 64);
  const Index columns = draw.log_uniform(2, 64);
  const Index matrices = std::max<Index>(draw.elements(type) / (rows * columns), 2);
  return made("drawn batches", type, type, {matrices, rows, columns}, {0, 2, 1});
}

CopyCase image(Draw& draw) {
  const DType type = draw.any(moved_types);
  const Index channels = draw.log_uniform(1, 64);
  const Index pixels = std::max<Index>(draw.elements(type) / channels, 2);
  const Index images = draw.log_uniform(1, std::min<Index>(32, pixels));
  const Index height = draw.log_uniform(1, std::max<Index>(pixels / images, 1));
  const Index width = std::max<Index>(pixels / images / height, 1);
  if (draw.one_of(2) == 0) {
    return made("drawn images", type, type, {images, height, width, channels}, {0, 3, 1, 2});
  }
  return made("drawn images", type, type, {images, channels, height, width}, {0, 2, 3, 1});
}

/// Slices or flips an axis of the view at random. False if the axis stays as it is.
bool slice_axis(Draw& draw, CopyCase& drawn, std::size_t axis) {
  switch (draw.one_of(5)) {
    case 0:
      drawn.view = flip_view(drawn.view, {static_cast<Index>(axis)});
      drawn.flipped.push_back(static_cast<Index>(axis));
      drawn.name += " flip[" + std::to_string(axis) + "]";
      return true;
    case 1:
      draw.take_steps(drawn.view, axis, drawn.name);
      return true;
    case 2:
      draw.crop(drawn.view, axis, drawn.name);
      return true;
    default:
      return false;
  }
}

CopyCase sliced(Draw& draw) {
  const DType type = draw.any(moved_types);
  const std::size_t rank = 2 + draw.one_of(4);
  const Dims source = draw.extents(rank, draw.elements(type));
  Dims order = identity_order(rank);
  if (draw.one_of(2) == 0) order = draw.shuffled(rank);
  CopyCase drawn = made("drawn slices", type, type, source, order);
  bool is_sliced = false;
  while (!is_sliced) {
    for (std::size_t d = 0; d < rank; ++d) is_sliced |= slice_axis(draw, drawn, d);
  }
  return drawn;
}

}  // namespace

std::vector<CopyCase> drawn_cases(std::size_t count, std::uint64_t seed, Scope scope) {
  constexpr std::array classes{&permutation, &batch, &image, &sliced, &conversion};
  Draw draw(seed, scope);
  std::vector<CopyCase> cases;
  for (std::size_t i = 0; i < count; ++i) cases.push_back(classes[i % classes.size()](draw));
  return cases;
}

}  // namespace tenstride::bench
