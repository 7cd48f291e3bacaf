// SPDX-License-Identifier: Apache-2.0
// Lines of rows turned in registers, and written past the cache as columns. Included once for each
// instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_TRANSPOSE_LINES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_TRANSPOSE_LINES_INL
#undef TENSTRIDE_COPY_KERNELS_TRANSPOSE_LINES_INL
#else
#define TENSTRIDE_COPY_KERNELS_TRANSPOSE_LINES_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Addresses one after another, in a register. The compiler would compute all of them first, and store them:
/// what is stored waits behind the lines on their way past the cache (.81 of a plain copy in place of .86).
class Steps {
 public:
  HWY_INLINE Steps(const std::byte* first, std::ptrdiff_t step) : at_(first), step_(step) {}

  HWY_INLINE const std::byte* next() {
    const std::byte* const here = at_;
    at_ += step_;
#if defined(__GNUC__)
    asm("" : "+r"(at_));
#endif
    return here;
  }

 private:
  const std::byte* at_;
  std::ptrdiff_t step_;
};

/// Turns a line of each of the next 64 / item rows in registers.
template <std::size_t item, class D, class V>
HWY_INLINE void transpose_line(D d, V* v, Steps& rows) {
  constexpr std::size_t group = 16 / item;
  using T = Item<item>;
#pragma GCC unroll 4
  for (std::size_t b = 0; b < 4; ++b) {
#pragma GCC unroll 16
    for (std::size_t k = 0; k < group; ++k)
      v[b * group + k] = hn::LoadU(d, reinterpret_cast<const T*>(rows.next()));
    interleave_blocks<group>(d, v + b * group);
  }
#pragma GCC unroll 16
  for (std::size_t c = 0; c < group; ++c) transpose_blocks(d, v + c, group);
}

/// Turns a line of each of the next 64 / item rows, and writes each column past the cache. `ask` is called
/// beside the store of each.
template <std::size_t item, class Prefetch>
HWY_INLINE void write_transposed(std::byte* dst, std::ptrdiff_t dst_pitch, Steps& rows, const Prefetch& ask) {
  constexpr std::size_t line = 64;
  constexpr std::size_t count = line / item;
  using T = Item<item>;
  Steps columns(dst, dst_pitch);
  const hn::FixedTag<T, widest / sizeof(T)> d;
  const auto next_column = [&]() HWY_ATTR {
    return reinterpret_cast<T*>(const_cast<std::byte*>(columns.next()));
  };
  if constexpr (widest == line) {
    hn::Vec<decltype(d)> v[count];
    transpose_line<item>(d, v, rows);
#pragma GCC unroll 16
    for (std::size_t c = 0; c < count; ++c) {
      hn::Stream(v[c], d, next_column());
      ask();
    }
  } else {
    constexpr std::size_t group = widest / item;
    alignas(line) std::byte transposed[count * line];
    for (std::size_t r = 0; r < count; r += group) {
      const std::byte* list[group];
      for (std::size_t k = 0; k < group; ++k) list[k] = rows.next();
      for (std::size_t part = 0; part < line; part += widest)
        transpose_square<item, widest>(transposed + part / item * line + r * item, line, list, part, []() {});
    }
    for (std::size_t c = 0; c < count; ++c) {
      T* const to = next_column();
      for (std::size_t part = 0; part < line; part += widest) {
        hn::Stream(hn::Load(d, reinterpret_cast<const T*>(transposed + c * line + part)), d,
                   to + part / sizeof(T));
      }
      ask();
    }
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
