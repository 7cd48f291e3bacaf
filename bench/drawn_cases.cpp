// SPDX-License-Identifier: Apache-2.0
#include "drawn_cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <string>

#include "tenstride/views.hpp"

namespace tenstride::bench {
namespace {

/// One type of each size: a copy without a conversion depends on the size alone.
constexpr std::array moved_types{DType::uint8, DType::float16, DType::float32, DType::float64,
                                 DType::complex128};
constexpr std::array converted_types{DType::uint8,   DType::int16, DType::float16, DType::bfloat16,
                                     DType::float32, DType::int32, DType::float64, DType::int64};

class Draw {
 public:
  Draw(std::uint64_t seed, Scope scope) : random_(seed), is_tiny_(scope == Scope::smoke) {}

  CopyCase permutation() {
    const DType type = any(moved_types);
    return permuted(type, type, "drawn permutations");
  }

  CopyCase conversion() {
    const DType from = any(converted_types);
    DType to = any(converted_types);
    while (to == from) to = any(converted_types);
    return permuted(from, to, "drawn conversions");
  }

  CopyCase batch() {
    const DType type = any(moved_types);
    const Index rows = log_uniform(2, 64);
    const Index columns = log_uniform(2, 64);
    return made("drawn batches", type, type, {at_least_two(elements(type) / (rows * columns)), rows, columns},
                {0, 2, 1});
  }

  CopyCase image() {
    const DType type = any(moved_types);
    const Index channels = log_uniform(1, 64);
    const Index pixels = at_least_two(elements(type) / channels);
    const Index images = log_uniform(1, std::min<Index>(32, pixels));
    const Index height = log_uniform(1, std::max<Index>(pixels / images, 1));
    const Index width = std::max<Index>(pixels / images / height, 1);
    if (one_of(2) == 0) {
      return made("drawn images", type, type, {images, height, width, channels}, {0, 3, 1, 2});
    }
    return made("drawn images", type, type, {images, channels, height, width}, {0, 2, 3, 1});
  }

  CopyCase sliced() {
    const DType type = any(moved_types);
    const std::size_t rank = 2 + one_of(4);
    const Dims source = extents(rank, elements(type));
    Dims order = identity(rank);
    if (one_of(2) == 0) order = shuffled(rank);
    CopyCase drawn = made("drawn slices", type, type, source, order);
    bool is_sliced = false;
    while (!is_sliced) {
      for (std::size_t d = 0; d < rank; ++d) is_sliced |= slice_axis(drawn, d);
    }
    return drawn;
  }

 private:
  std::size_t one_of(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  template <class List>
  DType any(const List& types) {
    return types[one_of(types.size())];
  }
  double uniform(double first, double last) {
    return std::uniform_real_distribution<double>(first, last)(random_);
  }
  Index log_uniform(Index first, Index last) {
    const double drawn =
        std::exp(uniform(std::log(static_cast<double>(first)), std::log(static_cast<double>(last) + 1)));
    return std::clamp(static_cast<Index>(drawn), first, last);
  }
  static Index at_least_two(Index extent) { return std::max<Index>(extent, 2); }

  /// The number of elements of one side, for 8 to 256 MiB.
  Index elements(DType type) {
    const Index bytes = is_tiny_ ? log_uniform(Index{1} << 10, Index{32} << 10)
                                 : log_uniform(Index{8} << 20, Index{256} << 20);
    return bytes / static_cast<Index>(item_size(type));
  }

  static Dims identity(std::size_t rank) {
    Dims order = Dims::of_size(rank);
    std::iota(order.begin(), order.end(), Index{0});
    return order;
  }
  Dims shuffled(std::size_t rank) {
    Dims order = identity(rank);
    while (order == identity(rank)) std::shuffle(order.begin(), order.end(), random_);
    return order;
  }

  /// Extents whose product is about `count`: the logarithm of `count` is cut at uniformly drawn places.
  Dims extents(std::size_t rank, Index count) {
    const double whole = std::log(static_cast<double>(count));
    std::vector<double> cuts{0, whole};
    for (std::size_t d = 1; d < rank; ++d) cuts.push_back(uniform(0, whole));
    std::sort(cuts.begin(), cuts.end());
    Dims shape = Dims::of_size(rank);
    double left = static_cast<double>(count);
    std::size_t longest = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      shape[d] = at_least_two(static_cast<Index>(std::lround(std::exp(cuts[d + 1] - cuts[d]))));
      left /= static_cast<double>(shape[d]);
      if (shape[d] > shape[longest]) longest = d;
    }
    // Extents are rounded, and at least 2. The longest one makes up for the difference from `count`.
    shape[longest] = at_least_two(std::lround(static_cast<double>(shape[longest]) * left));
    return shape;
  }

  CopyCase permuted(DType from, DType to, const std::string& family) {
    const std::size_t rank = 2 + one_of(6);
    const DType larger = item_size(from) < item_size(to) ? to : from;
    const Dims shape = extents(rank, elements(larger));
    return made(family, from, to, shape, shuffled(rank));
  }

  static CopyCase made(const std::string& family, DType from, DType to, const Dims& source,
                       const Dims& order) {
    CopyCase drawn;
    drawn.family = family;
    drawn.src_type = from;
    drawn.dst_type = to;
    drawn.source = source;
    drawn.view = permute(row_major(source), order);
    drawn.name = shape_name(source, from);
    if (from != to) drawn.name += " -> " + std::string(name(to));
    if (order != identity(order.size())) drawn.name += " " + permutation_name(order);
    return drawn;
  }

  /// Slices or flips an axis of the view at random. False if the axis stays as it is.
  bool slice_axis(CopyCase& drawn, std::size_t axis) {
    const Index extent = drawn.view.shape[axis];
    const std::string at = "[" + std::to_string(axis) + "]";
    switch (one_of(5)) {
      case 0:
        drawn.view = flip_view(drawn.view, {static_cast<Index>(axis)});
        drawn.flipped.push_back(static_cast<Index>(axis));
        drawn.name += " flip" + at;
        return true;
      case 1: {
        const auto step = static_cast<Index>(2 + one_of(2));
        drawn.view = slice(drawn.view, static_cast<Index>(axis), 0, extent, step);
        drawn.name += " ::" + std::to_string(step) + at;
        return true;
      }
      case 2: {
        const Index length =
            std::max<Index>(static_cast<Index>(static_cast<double>(extent) * uniform(.5, 1)), 1);
        const auto start = static_cast<Index>(one_of(static_cast<std::size_t>(extent - length + 1)));
        drawn.view = narrow(drawn.view, static_cast<Index>(axis), start, length);
        drawn.name += " " + std::to_string(start) + ":" + std::to_string(start + length) + at;
        return true;
      }
      default:
        return false;
    }
  }

  std::mt19937_64 random_;
  bool is_tiny_;
};

}  // namespace

std::vector<CopyCase> drawn_cases(std::size_t count, std::uint64_t seed, Scope scope) {
  constexpr std::array classes{&Draw::permutation, &Draw::batch, &Draw::image, &Draw::sliced,
                               &Draw::conversion};
  Draw draw(seed, scope);
  std::vector<CopyCase> cases;
  for (std::size_t i = 0; i < count; ++i) cases.push_back((draw.*classes[i % classes.size()])());
  return cases;
}

}  // namespace tenstride::bench
