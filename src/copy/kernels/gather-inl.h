// SPDX-License-Identifier: Apache-2.0
// Gathering items at a stride, included once for each instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_GATHER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_GATHER_INL
#undef TENSTRIDE_COPY_KERNELS_GATHER_INL
#else
#define TENSTRIDE_COPY_KERNELS_GATHER_INL
#endif

#include <hwy/cache_control.h>
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

/// Loads every second, third or fourth item, as many as a vector holds: deinterleaves whole vectors and
/// returns one channel, the first one (from `in` on) or the last one (so that the load ends with its last
/// item). Items between those of the channel may be read; items behind the last one, or before the first one,
/// may lie outside of the storage.
template <Index channels, Index channel, class D>
HWY_INLINE hn::Vec<D> load_channel(D d, const std::byte* in) {
  using T = hn::TFromD<D>;
  const auto* from = reinterpret_cast<const T*>(in) - channel;
  hn::Vec<D> v[4];
  if constexpr (channels == 2) hn::LoadInterleaved2(d, from, v[0], v[1]);
  if constexpr (channels == 3) hn::LoadInterleaved3(d, from, v[0], v[1], v[2]);
  if constexpr (channels == 4) hn::LoadInterleaved4(d, from, v[0], v[1], v[2], v[3]);
  return v[channel];
}

/// Loads a vector of items backwards from `in`.
template <class D>
HWY_INLINE hn::Vec<D> load_reversed(D d, const std::byte* in) {
  using T = hn::TFromD<D>;
  const auto v = hn::LoadU(d, reinterpret_cast<const T*>(in + sizeof(T)) - hn::Lanes(d));
  if constexpr (sizeof(T) == 1 && hn::MaxLanes(d) >= 16) {
    alignas(16) static constexpr std::uint8_t backwards[16] = {15, 14, 13, 12, 11, 10, 9, 8,
                                                               7,  6,  5,  4,  3,  2,  1, 0};
    return hn::ReverseBlocks(d, hn::TableLookupBytes(v, hn::LoadDup128(d, backwards)));
  } else if constexpr (sizeof(T) == 1) {
    // Reverses the pairs of the vector, then the bytes of each pair.
    const hn::Repartition<std::uint16_t, D> d16;
    const auto pairs = hn::Reverse(d16, hn::BitCast(d16, v));
    return hn::BitCast(d, hn::Or(hn::ShiftLeft<8>(pairs), hn::ShiftRight<8>(pairs)));
  } else {
    return hn::Reverse(d, v);
  }
}

/// Loads a vector of items at a stride of -1, 2, 3 or 4 items. Reads nothing before `in`, or, for the `last`
/// vector, nothing behind its last item.
template <Index stride, bool last = false, class D>
HWY_INLINE hn::Vec<D> load_strided(D d, const std::byte* in) {
  if constexpr (stride == -1) {
    return load_reversed(d, in);
  } else {
    constexpr Index channel = last ? stride - 1 : 0;
    return load_channel<stride, channel>(d, in);
  }
}

/// Gathers by vectors, of which the last one may overlap the one before it. Returns how many items were
/// gathered: all, or none where they do not fill a vector.
template <Index stride, class D>
HWY_INLINE std::size_t gather_vectors(D d, std::byte* out, const std::byte* in, std::size_t count) {
  constexpr std::size_t item = sizeof(hn::TFromD<D>);
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t left = stride == -1 ? 0 : 1;
  const auto from = [&](std::size_t i) HWY_ATTR { return in + static_cast<Index>(i * item) * stride; };
  const auto to = [&](std::size_t i) HWY_ATTR { return reinterpret_cast<Item<item>*>(out + i * item); };
  std::size_t i = 0;
  for (; i + lanes + left <= count; i += lanes) hn::StoreU(load_strided<stride>(d, from(i)), d, to(i));
  if (i == 0 || i == count) return i;
  hn::StoreU(load_strided<stride, true>(d, from(count - lanes)), d, to(count - lanes));
  return count;
}

template <std::size_t item, Index stride>
std::size_t gather_vectors(std::byte* out, const std::byte* in, std::size_t count) {
  const std::size_t done = gather_vectors<stride>(hn::ScalableTag<Item<item>>(), out, in, count);
  if (done > 0) return done;
  return gather_vectors<stride>(hn::CappedTag<Item<item>, 16 / item>(), out, in, count);
}

template <std::size_t item>
void gather(std::byte* out, const std::byte* in, Index stride, std::size_t count) {
  std::size_t done = 0;
  constexpr auto unit = static_cast<Index>(item);
  if (stride == 2 * unit) done = gather_vectors<item, 2>(out, in, count);
  if (stride == 3 * unit) done = gather_vectors<item, 3>(out, in, count);
  if (stride == 4 * unit) done = gather_vectors<item, 4>(out, in, count);
  if (stride == -unit) done = gather_vectors<item, -1>(out, in, count);
  if (done == count) return;
  portable_kernels().gather[log2_of<item>](out + done * item, in + static_cast<Index>(done) * stride, stride,
                                           count - done);
}

template <>
inline void gather<16>(std::byte* out, const std::byte* in, Index stride, std::size_t count) {
  const hn::FixedTag<std::uint8_t, 16> d;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(in + static_cast<Index>(i) * stride);
    hn::StoreU(hn::LoadU(d, from), d, reinterpret_cast<std::uint8_t*>(out + i * 16));
  }
}

/// Gathers whole lines by streaming stores, a line of each of `pages` pages alternately.
template <std::size_t item, Index stride, Index pages>
void stream_vector_pages(std::byte* dst, const std::byte* src, std::size_t lines) {
  constexpr Index line = 64;
  constexpr Index page_lines = 64;
  const hn::CappedTag<Item<item>, line / item> d;
  constexpr auto step = static_cast<Index>(hn::MaxLanes(d) * item);
  const auto write = [&](Index at) HWY_ATTR {
    for (Index part = at * line; part < (at + 1) * line; part += step) {
      hn::Stream(load_strided<stride>(d, src + part * stride), d, reinterpret_cast<Item<item>*>(dst + part));
    }
  };
  const auto prefetch = [&](Index at) {
    for (Index i = 0; i < (stride < 0 ? 1 : stride); ++i) {
      __builtin_prefetch(src + at * line * stride + i * line, 0, 2);
    }
  };
  const auto count = static_cast<Index>(lines);
  Index done = 0;
  for (; done + pages * page_lines <= count; done += pages * page_lines) {
    for (Index at = done; at < done + page_lines; ++at) {
      for (Index page = 0; page < pages; ++page) {
        prefetch(at + (pages + page) * page_lines);
        write(at + page * page_lines);
      }
    }
  }
  for (; done < count; ++done) write(done);
}

/// Gathers by streaming stores, page after page, or four pages alternately, which keeps four memory banks
/// busy.
template <std::size_t item, Index stride>
void stream_vectors(std::byte* dst, const std::byte* src, std::size_t lines, MemoryStreams streams) {
  streams == MemoryStreams::one ? stream_vector_pages<item, stride, 1>(dst, src, lines)
                                : stream_vector_pages<item, stride, 4>(dst, src, lines);
}

template <std::size_t item>
std::size_t gather_lines(std::byte* dst, const std::byte* src, Index stride, std::size_t count,
                         MemoryStreams streams) {
  constexpr auto unit = static_cast<Index>(item);
  const std::size_t lines = count / (64 / item);
  // The line of the last item is left to the caller: see load_channel on what lies behind it.
  const std::size_t before_last = count == 0 ? 0 : (count - 1) / (64 / item);
  if (stride == -unit) {
    stream_vectors<item, -1>(dst, src, lines, streams);
    return lines;
  }
  if (stride == 2 * unit) {
    stream_vectors<item, 2>(dst, src, before_last, streams);
  } else if (stride == 3 * unit) {
    stream_vectors<item, 3>(dst, src, before_last, streams);
  } else if (stride == 4 * unit) {
    stream_vectors<item, 4>(dst, src, before_last, streams);
  } else {
    return 0;
  }
  return before_last;
}

/// Gathers whole lines of items of 16 bytes, at any stride, by streaming stores of an item.
template <>
inline std::size_t gather_lines<16>(std::byte* dst, const std::byte* src, Index stride, std::size_t count,
                                    MemoryStreams /*streams*/) {
  const hn::FixedTag<std::uint8_t, 16> d;
  constexpr Index in_line = 4;
  constexpr Index prefetch_distance_items = 64;
  const std::size_t lines = count / in_line;
  for (std::size_t n = 0; n < lines; ++n) {
#pragma GCC unroll 4
    for (Index i = 0; i < in_line; ++i) {
      __builtin_prefetch(src + (i + prefetch_distance_items) * stride, 0, 3);
      hn::Stream(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(src + i * stride)), d,
                 reinterpret_cast<std::uint8_t*>(dst) + i * 16);
    }
    dst += in_line * 16;
    src += in_line * stride;
  }
  return lines;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
