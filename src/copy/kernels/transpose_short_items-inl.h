// SPDX-License-Identifier: Apache-2.0
// Transposing tiles of items of 3, 5, 6 or 7 bytes, such as the pixels of an RGB image that is rotated. 16
// bytes of a row are spread to lanes of 4 or 8 bytes, the lanes are transposed, and the items of each column
// are compacted again. Included once for each instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_TRANSPOSE_SHORT_ITEMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_TRANSPOSE_SHORT_ITEMS_INL
#undef TENSTRIDE_COPY_KERNELS_TRANSPOSE_SHORT_ITEMS_INL
#else
#define TENSTRIDE_COPY_KERNELS_TRANSPOSE_SHORT_ITEMS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "copy/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::size_t short_vector = 16;

/// Transposes items in squares of `side` rows and columns, each item in a lane of `lane` bytes.
template <std::size_t lane>
class ShortItems {
 public:
  static constexpr std::size_t side = short_vector / lane;

  explicit ShortItems(std::size_t item) : item_(item), bytes_(side * item) {
    std::array<std::uint8_t, short_vector> spread;
    std::array<std::uint8_t, short_vector> spread_last;
    std::array<std::uint8_t, short_vector> compact;
    constexpr std::uint8_t none = 0x80;
    compact.fill(none);
    for (std::size_t i = 0; i < short_vector; ++i) {
      const std::size_t from = i / lane * item + i % lane;
      const bool is_item = i % lane < item;
      spread[i] = is_item ? static_cast<std::uint8_t>(from) : none;
      spread_last[i] = is_item ? static_cast<std::uint8_t>(short_vector - bytes_ + from) : none;
      if (is_item) compact[from] = static_cast<std::uint8_t>(i);
    }
    spread_ = hn::LoadU(Bytes(), spread.data());
    spread_last_ = hn::LoadU(Bytes(), spread_last.data());
    compact_ = hn::LoadU(Bytes(), compact.data());
  }

  /// Transposes: dst[c * dst_pitch + r * item] = src[r * src_pitch + c * item]. Precondition: at least `side`
  /// rows, and at least 16 bytes in a row.
  HWY_INLINE void transpose(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                            std::size_t rows, std::size_t columns) const {
    const std::size_t whole = ((columns * item_ - short_vector) / bytes_ + 1) * side;
    for (std::size_t c = 0; c < whole; c += side) {
      transpose_columns(dst + static_cast<Index>(c) * dst_pitch, dst_pitch, src + c * item_, src_pitch, rows,
                        spread_);
    }
    // The last columns end with the row, so they are read together with bytes before them.
    for (std::size_t c = whole; c < columns; c += side) {
      const std::size_t column = std::min(c, columns - side);
      transpose_columns(dst + static_cast<Index>(column) * dst_pitch, dst_pitch,
                        src + (column + side) * item_ - short_vector, src_pitch, rows, spread_last_);
    }
  }

 private:
  using Bytes = hn::FixedTag<std::uint8_t, short_vector>;
  using Vector = hn::Vec<Bytes>;
  using Lanes = hn::Repartition<hwy::UnsignedFromSize<lane>, Bytes>;

  HWY_INLINE void transpose_columns(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                                    std::size_t rows, Vector spread) const {
    std::size_t r = 0;
    for (; r + 2 * side <= rows; r += side)
      transpose_square<false>(dst + r * item_, dst_pitch, src + static_cast<Index>(r) * src_pitch, src_pitch,
                              spread);
    for (; r < rows; r += side) {
      const std::size_t row = std::min(r, rows - side);
      transpose_square<true>(dst + row * item_, dst_pitch, src + static_cast<Index>(row) * src_pitch,
                             src_pitch, spread);
    }
  }

  template <bool exact>
  HWY_INLINE void transpose_square(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                                   Vector spread) const {
    const Lanes lanes;
    const auto row = [&](std::size_t r) HWY_ATTR {
      const auto* at = reinterpret_cast<const std::uint8_t*>(src + static_cast<Index>(r) * src_pitch);
      return hn::BitCast(lanes, hn::TableLookupBytesOr0(hn::LoadU(Bytes(), at), spread));
    };
    const auto column = [&](std::size_t c, auto items) HWY_ATTR {
      store<exact>(dst + static_cast<Index>(c) * dst_pitch,
                   hn::TableLookupBytesOr0(hn::BitCast(Bytes(), items), compact_));
    };
    if constexpr (lane == 8) {
      const auto row0 = row(0);
      const auto row1 = row(1);
      column(0, hn::InterleaveLower(lanes, row0, row1));
      column(1, hn::InterleaveUpper(lanes, row0, row1));
    } else {
      const auto row0 = row(0);
      const auto row1 = row(1);
      const auto row2 = row(2);
      const auto row3 = row(3);
      const auto even_low = hn::InterleaveLower(lanes, row0, row2);
      const auto odd_low = hn::InterleaveLower(lanes, row1, row3);
      const auto even_high = hn::InterleaveUpper(lanes, row0, row2);
      const auto odd_high = hn::InterleaveUpper(lanes, row1, row3);
      column(0, hn::InterleaveLower(lanes, even_low, odd_low));
      column(1, hn::InterleaveUpper(lanes, even_low, odd_low));
      column(2, hn::InterleaveLower(lanes, even_high, odd_high));
      column(3, hn::InterleaveUpper(lanes, even_high, odd_high));
    }
  }

  /// Stores the items of a column: exactly, or with bytes behind them, which the next store overwrites.
  template <bool exact>
  HWY_INLINE void store(std::byte* dst, Vector items) const {
    if constexpr (exact) {
      std::array<std::uint8_t, short_vector> bytes;
      hn::StoreU(items, Bytes(), bytes.data());
      constexpr std::size_t half = short_vector / 2;
      std::memcpy(dst, bytes.data(), half);
      std::memcpy(dst + bytes_ - half, bytes.data() + bytes_ - half, half);
    } else {
      hn::StoreU(items, Bytes(), reinterpret_cast<std::uint8_t*>(dst));
    }
  }

  std::size_t item_;
  /// The bytes of `side` items.
  std::size_t bytes_;
  Vector spread_;
  Vector spread_last_;
  Vector compact_;
};

inline void transpose_short(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                            std::size_t rows, std::size_t columns, std::size_t item) {
  if (item <= 4) {
    ShortItems<4>(item).transpose(dst, dst_pitch, src, src_pitch, rows, columns);
  } else {
    ShortItems<8>(item).transpose(dst, dst_pitch, src, src_pitch, rows, columns);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
