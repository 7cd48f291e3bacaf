// SPDX-License-Identifier: Apache-2.0
// The slow definition of a copy, and random layouts to try it on.
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "tenstride/base/element.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/layout.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::oracle {

using Bytes = std::vector<std::byte>;

inline Index bytes_of(DType type, Index elements) {
  return elements * static_cast<Index>(item_size(type));
}

/// Element by element over all indexes, through convert_element and scale_element.
inline void copy(const Layout& dst, DType dst_type, std::byte* dst_base, const Layout& src, DType src_type,
                 const std::byte* src_base, const PlanOptions& options = {}) {
  if (is_empty(dst)) return;
  std::vector<Index> index(dst.rank(), 0);
  const auto number = [&](std::span<const double> values, double otherwise) {
    if (values.empty()) return otherwise;
    return values.size() == 1 ? values[0] : values[static_cast<std::size_t>(index[options.axis])];
  };
  for (;;) {
    Index to = dst.offset;
    Index from = src.offset;
    for (std::size_t d = 0; d < index.size(); ++d) {
      to += index[d] * dst.strides[d];
      from += index[d] * src.strides[d];
    }
    std::byte* const out = dst_base + bytes_of(dst_type, to);
    const std::byte* const in = src_base + bytes_of(src_type, from);
    const bool scales = !options.scale.empty() || !options.shift.empty();
    const auto negates = [&](Negation side) {
      return options.negation == side || options.negation == Negation::both;
    };
    const bool keeps_sign = options.negation == Negation::none || options.negation == Negation::both;
    if (dst_type == src_type && !scales && keeps_sign &&
        (options.conjugation == Conjugation::keep || !is_complex(src_type))) {
      std::memcpy(out, in, item_size(dst_type));
    } else {
      visit(dst_type, [&]<class To>(std::type_identity<To>) {
        visit(src_type, [&]<class From>(std::type_identity<From>) {
          From value = load_element<From>(in);
          if (negates(Negation::source)) value = negate(value);
          if (options.conjugation == Conjugation::conjugate) value = conjugate(value);
          const To given = scales
                               ? scale_element<To>(value, number(options.scale, 1), number(options.shift, 0))
                               : convert_element<To>(value);
          store_element<To>(out, negates(Negation::destination) ? negate(given) : given);
        });
      });
    }
    std::size_t d = index.size();
    while (d-- > 0) {
      if (++index[d] < dst.shape[d]) break;
      index[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  Index between(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(engine_); }
  bool one_in(Index n) { return between(1, n) == 1; }
  Bytes bytes(std::size_t count) {
    Bytes result(count);
    for (std::byte& byte : result) byte = static_cast<std::byte>(engine_());
    return result;
  }
  std::mt19937& engine() { return engine_; }

 private:
  std::mt19937 engine_;
};

/// A shape of the rank with about so many elements at most.
inline Dims random_shape(Random& random, std::size_t rank, Index most) {
  Dims shape = Dims::filled(rank, 1);
  Index left = most;
  std::vector<std::size_t> order(rank);
  for (std::size_t d = 0; d < rank; ++d) order[d] = d;
  std::shuffle(order.begin(), order.end(), random.engine());
  for (const std::size_t d : order) {
    const Index highest = std::max<Index>(1, random.one_in(3) ? left : std::min<Index>(left, 20));
    shape[d] = random.one_in(8) ? 1 : random.between(1, highest);
    left = std::max<Index>(left / shape[d], 1);
  }
  if (rank > 0 && random.one_in(40))
    shape[static_cast<std::size_t>(random.between(0, static_cast<Index>(rank) - 1))] = 0;
  return shape;
}

struct Placed {
  Layout layout;
  Index storage = 0;  // elements
};

/// Strides for the shape: axes in any order, with steps, padding, negative directions and, if asked for,
/// broadcasts.
inline Placed random_layout(Random& random, const Dims& shape, bool may_broadcast) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> order(rank);
  for (std::size_t d = 0; d < rank; ++d) order[d] = d;
  if (!random.one_in(3)) std::shuffle(order.begin(), order.end(), random.engine());
  Placed placed{{shape, Dims::filled(rank, 1), 0}, 0};
  Index stride = random.one_in(4) ? random.between(1, 4) : 1;
  Index offset = random.one_in(3) ? random.between(0, 9) : 0;
  const bool pads = random.one_in(2);
  for (std::size_t k = rank; k-- > 0;) {
    const std::size_t d = order[k];
    if (may_broadcast && random.one_in(6)) {
      placed.layout.strides[d] = 0;
      continue;
    }
    placed.layout.strides[d] = stride;
    if (random.one_in(5) && shape[d] > 0) {
      offset += (shape[d] - 1) * stride;
      placed.layout.strides[d] = -stride;
    }
    stride *= std::max<Index>(shape[d], 1);
    if (shape[d] < 2) continue;
    if (pads && random.one_in(3)) stride += random.between(0, 5);
    if (pads && random.one_in(6)) stride *= 2;
  }
  placed.layout.offset = offset;
  placed.storage = stride + offset + 1;
  return placed;
}

}  // namespace tenstride::oracle
