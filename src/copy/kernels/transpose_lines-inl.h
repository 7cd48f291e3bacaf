// SPDX-License-Identifier: Apache-2.0
// Transposing cache lines of rows in registers, and writing the columns by streaming stores. Included once
// for each instruction set.
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

/// Addresses at equal distances, computed in a register one after another. Without the `asm` the compiler
/// computes all of them first and spills them to the stack, where they wait in the store buffer behind the
/// streaming stores: .81 → .86 of a plain copy.
class Addresses {
 public:
  HWY_INLINE Addresses(const std::byte* first, Index step) : at_(first), step_(step) {}

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
  Index step_;
};

/// Transposes a line of each of the next 64 / item rows in registers.
template <std::size_t item, class D, class V>
HWY_INLINE void transpose_line(D d, V* v, Addresses& rows) {
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

/// Transposes a line of each of the next 64 / item rows, and writes each column by streaming stores. After
/// each column it calls `prefetch`.
template <std::size_t item, class Prefetch>
HWY_INLINE void write_transposed(std::byte* dst, Index dst_pitch, Addresses& rows, const Prefetch& prefetch) {
  constexpr std::size_t line = 64;
  constexpr std::size_t count = line / item;
  using T = Item<item>;
  Addresses columns(dst, dst_pitch);
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
      prefetch();
    }
  } else {
    constexpr std::size_t group = widest / item;
    alignas(line) std::byte transposed[count * line];
    for (std::size_t r = 0; r < count; r += group) {
      const std::byte* addresses[group];
      for (std::size_t k = 0; k < group; ++k) addresses[k] = rows.next();
      for (std::size_t part = 0; part < line; part += widest)
        transpose_square<item, widest>(transposed + part / item * line + r * item, line, addresses, part,
                                       []() {});
    }
    for (std::size_t c = 0; c < count; ++c) {
      T* const to = next_column();
      for (std::size_t part = 0; part < line; part += widest) {
        hn::Stream(hn::Load(d, reinterpret_cast<const T*>(transposed + c * line + part)), d,
                   to + part / sizeof(T));
      }
      prefetch();
    }
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
