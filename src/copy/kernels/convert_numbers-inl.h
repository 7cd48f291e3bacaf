// SPDX-License-Identifier: Apache-2.0
// Conversions between the numbers that C++ knows (bool, integers, float, double), vectorized by the
// compiler: it knows the shortest way from each to each on every instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_CONVERT_NUMBERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_CONVERT_NUMBERS_INL
#undef TENSTRIDE_COPY_KERNELS_CONVERT_NUMBERS_INL
#else
#define TENSTRIDE_COPY_KERNELS_CONVERT_NUMBERS_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "copy/kernels/convert_saturated-inl.h"
#include "copy/kernels/kernels.hpp"
#include "tenstride/base/element.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Bytes of one store. With 64 bytes a core writes to memory more slowly: .83 → .95 of a plain copy with 32
/// (uint8 to float32).
inline constexpr std::size_t store_bytes = 32;

/// Bytes between what is read now and what is prefetched, in loops that read more than they write: without it
/// too few reads are in flight, .93 → 1.12 of a plain copy (float32 to uint8, Cascade Lake).
inline constexpr std::size_t prefetch_distance = 2048;

/// The prefetch distance where several pages are read alternately, into the L1 cache. None → 1 KiB: .65-.71
/// → .83-.89 of a plain copy (float32 to uint8, Emerald Rapids); 2 KiB reaches .74-.83, a prefetch into the
/// L2 cache .77-.80.
inline constexpr std::size_t page_prefetch_distance = 1024;

/// The prefetch distance where memory is read as one stream and items become longer, or a quarter as long or
/// less. None → 1 KiB → 8 KiB, on Zen 5: .57 → .73 → 1.00 of a plain copy (float32 to uint8), .88 → .87 →
/// 1.07 (float32 to int64), .94 → .94 → 1.09 (uint8 to float16). Items half as long lose: .88 → .76 (float32
/// to float16).
inline constexpr std::size_t stream_prefetch_distance = 8192;

#if HWY_ARCH_X86 && defined(__GNUC__) && !defined(__clang__)
#define TENSTRIDE_STORES __attribute__((target("prefer-vector-width=256")))
#else
#define TENSTRIDE_STORES
#endif

/// A bool is a byte that is 0 or not.
template <class T>
using Number = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

/// Elements of one step: the compiler vectorizes loops of a fixed length.
inline constexpr std::size_t step_length = 32;

/// Converts a floating value to an integer without a branch. Clamps it first, then corrects the two cases
/// that are left: values from the limit on become the greatest integer, NaN becomes 0.
template <class To, class From>
HWY_INLINE To saturate_straight(From x) {
  constexpr From limit = From(2) * static_cast<From>(To(1) << (std::numeric_limits<To>::digits - 1));
  constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
  // The largest value below the limit that both From and To can hold.
  constexpr From high = std::numeric_limits<To>::digits > std::numeric_limits<From>::digits
                            ? limit - limit / From(std::uint64_t(1) << std::numeric_limits<From>::digits)
                            : limit - From(1);
  From inside = x >= low ? x : low;  // NaN too
  inside = inside <= high ? inside : high;
  To result = static_cast<To>(inside);
  result = x >= limit ? std::numeric_limits<To>::max() : result;
  return x == x ? result : To(0);
}

/// A number at any address.
template <class T>
struct __attribute__((packed, may_alias)) Unaligned {
  Number<T> value;
};

/// Converts a fixed number of elements.
template <class To, class From>
HWY_INLINE void convert_step(std::byte* out, const std::byte* in) {
#if HWY_TARGET == HWY_AVX2
  if constexpr (converts_by_four<To, From>) {
    for (std::size_t k = 0; k < step_length; k += 4) {
      convert_four(reinterpret_cast<To*>(out + k * sizeof(To)),
                   reinterpret_cast<const From*>(in + k * sizeof(From)));
    }
    return;
  }
#endif
  auto* HWY_RESTRICT to = reinterpret_cast<Unaligned<To>*>(out);
  const auto* HWY_RESTRICT from = reinterpret_cast<const Unaligned<From>*>(in);
  for (std::size_t k = 0; k < step_length; ++k) {
    if constexpr (std::is_same_v<To, bool> || std::is_same_v<From, bool>) {
      to[k].value = static_cast<Number<To>>(from[k].value != 0);
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      to[k].value = saturate_straight<To>(from[k].value);
    } else {
      to[k].value = static_cast<To>(from[k].value);
    }
  }
}

/// Copies fewer than `limit` bytes, a power of two.
template <std::size_t limit>
HWY_INLINE void copy_fewer(std::byte* to, const std::byte* from, std::size_t bytes) {
  if constexpr (limit > 1) {
    constexpr std::size_t half = limit / 2;
    if ((bytes & half) != 0) {
      std::memcpy(to, from, half);
      to += half;
      from += half;
    }
    copy_fewer<half>(to, from, bytes);
  }
}

/// Converts the elements of a row from `done` on, fewer than `length`, by one step of that many elements:
/// with the elements before them once more, where the row has these and its destination is in the cache, by
/// way of buffers otherwise. Rows of 22 elements one by one -> by a step: 1.4 -> 7 elements a ns (float16 to
/// float32, Zen 3).
template <class To, class From, std::size_t length, class Step>
HWY_INLINE void convert_rest(std::byte* out, const std::byte* in, std::size_t done, std::size_t count,
                             Stores stores, const Step& step) {
  if (done == count) return;
  if (count >= length && stores == Stores::ordinary) {
    step(out + (count - length) * sizeof(To), in + (count - length) * sizeof(From));
    return;
  }
  alignas(64) std::array<std::byte, length * sizeof(From)> source{};
  alignas(64) std::array<std::byte, length * sizeof(To)> converted;
  copy_fewer<source.size()>(source.data(), in + done * sizeof(From), (count - done) * sizeof(From));
  step(converted.data(), source.data());
  copy_fewer<converted.size()>(out + done * sizeof(To), converted.data(), (count - done) * sizeof(To));
}

/// Prefetches the source `prefetch_distance` bytes behind `count` numbers, as many bytes as they have. Does
/// nothing where as much is written as read, or more.
template <class To, class From>
HWY_INLINE void prefetch_source(const std::byte* from, std::size_t count) {
  if constexpr (sizeof(To) < sizeof(From)) {
    for (std::size_t at = 0; at < count * sizeof(From); at += 64)
      __builtin_prefetch(from + prefetch_distance + at, 0, 2);
  }
}

/// Loads a vector by parts of `store_bytes`, as it was stored: a load that spans two stores which are still
/// in the store buffer would wait for both.
template <class D>
HWY_INLINE hn::Vec<D> load_stored(D d, const std::uint8_t* from) {
  if constexpr (hn::MaxLanes(d) > store_bytes) {
    const hn::Half<D> half;
    return hn::Combine(d, hn::Load(half, from + store_bytes), hn::Load(half, from));
  } else {
    return hn::Load(d, from);
  }
}

/// The number of pages that are written alternately, a line of each, so that as many streams are read. 1 → 4
/// pages: .60 → .73 of a plain copy (float32 to uint8), .57-.67 → .68-.81 (float32 to bfloat16), .87 → .99
/// (int32 to float32, beyond the L3 cache), .80 → .96 (float64 to int64), .97 → 1.07 (float32 to float64).
/// Where items of 1 and 2 bytes become longer, or 8 bytes become 4, one page is faster: .97 → .92 (int16 to
/// float32), .89 → .86 (float64 to float32).
template <class To, class From>
inline constexpr std::size_t alternating_pages = sizeof(From) >= 4 * sizeof(To) ||
                                                         sizeof(From) == sizeof(To) ||
                                                         (sizeof(From) > sizeof(To) && sizeof(From) <= 4) ||
                                                         (sizeof(From) < sizeof(To) && sizeof(From) >= 4)
                                                     ? 4
                                                     : 1;

/// Calls line(i) for each i below `lines`: for the lines of several pages alternately, then sequentially for
/// the last ones, which do not fill all pages. Two nested loops need no arithmetic for each line. Position
/// computed from a counter → nested loops: .84 → .95 of a plain copy (float32 to uint8, in the L3 cache), .78
/// → .93 (float32 to int32).
template <class To, class From, class Line>
HWY_INLINE void each_line(std::size_t lines, Stores stores, const Line& line) {
  constexpr std::size_t in_page = 64;
  const std::size_t pages = stores == Stores::streaming_sequential ? 1 : alternating_pages<To, From>;
  for (std::size_t i = 0; i < lines;) {
    const bool is_whole = pages > 1 && lines - i >= pages * in_page;
    const std::size_t end = is_whole ? i + in_page : lines;
    const std::size_t side_by_side = is_whole ? pages : 1;
    for (; i < end; ++i) {
      for (std::size_t k = 0; k < side_by_side; ++k) line(i + k * in_page);
    }
    if (is_whole) i += (pages - 1) * in_page;
  }
}

/// Prefetches the source beside each line of `each_line`, except where that is slower. Where as much is
/// written as read it is, in the L3 cache: .85 → .75 of a plain copy (float16 to bfloat16).
template <class To, class From>
class PrefetchBesideLine {
 public:
  HWY_INLINE explicit PrefetchBesideLine(Stores stores)
      : is_one_stream_(stores == Stores::streaming_sequential) {}

  HWY_INLINE void operator()(const std::byte* from, std::size_t count) const {
    if (is_one_stream_) {
      if constexpr (sizeof(To) > sizeof(From) || sizeof(From) >= 4 * sizeof(To))
        prefetch_lines(from + stream_prefetch_distance, count);
    } else if constexpr (sizeof(To) < sizeof(From) && alternating_pages < To, From >> 1) {
      prefetch_lines(from + page_prefetch_distance, count);
    } else {
      prefetch_source<To, From>(from, count);
    }
  }

 private:
  HWY_INLINE static void prefetch_lines(const std::byte* from, std::size_t count) {
    for (std::size_t at = 0; at < count * sizeof(From); at += 64) __builtin_prefetch(from + at, 0, 3);
  }

  bool is_one_stream_;
};

template <class To, class From>
TENSTRIDE_STORES std::size_t stream_numbers(std::byte* out, const std::byte* in, std::size_t count,
                                            Stores stores) {
  constexpr std::size_t line = 64;
  constexpr std::size_t steps = step_length * sizeof(To) < line ? 2 : 1;
  constexpr std::size_t at_once = steps * step_length;
  constexpr std::size_t bytes = at_once * sizeof(To);
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lines = count / at_once;
  const PrefetchBesideLine<To, From> prefetch_beside_line(stores);
  each_line<To, From>(
      lines, stores, [&](std::size_t n) HWY_ATTR __attribute__((always_inline)) {
        const std::size_t i = n * at_once;
        const std::byte* const from = in + i * sizeof(From);
        prefetch_beside_line(from, at_once);
        alignas(64) std::byte converted[bytes];
        for (std::size_t k = 0; k < steps; ++k) {
          convert_step<To, From>(converted + k * step_length * sizeof(To),
                                 from + k * step_length * sizeof(From));
        }
        for (std::size_t at = 0; at < bytes; at += hn::MaxLanes(d)) {
          hn::Stream(load_stored(d, reinterpret_cast<const std::uint8_t*>(converted) + at), d,
                     reinterpret_cast<std::uint8_t*>(out + i * sizeof(To)) + at);
        }
      });
  return lines * at_once;
}

template <class To, class From>
TENSTRIDE_STORES std::size_t store_numbers(std::byte* out, const std::byte* in, std::size_t count) {
  std::size_t i = 0;
  for (; i + step_length <= count; i += step_length) {
    prefetch_source<To, From>(in + i * sizeof(From), step_length);
    convert_step<To, From>(out + i * sizeof(To), in + i * sizeof(From));
  }
  return i;
}

#if HWY_TARGET == HWY_AVX3
/// Writes whole lines of saturated integers by streaming stores, and returns the number of integers. Takes 4
/// instructions for 16 floats, where the compiler makes 14 of `saturate_straight` and reaches .82 of a plain
/// copy (float32 to int64).
template <class To, class From>
std::size_t stream_saturated(std::byte* out, const std::byte* in, std::size_t count, Stores stores) {
  constexpr std::size_t line = 64;
  constexpr std::size_t in_line = line / sizeof(To);
  const std::size_t lines = count / in_line;
  const PrefetchBesideLine<To, From> prefetch_beside_line(stores);
  each_line<To, From>(
      lines, stores, [&](std::size_t i) HWY_ATTR __attribute__((always_inline)) {
        const std::byte* const from = in + i * in_line * sizeof(From);
        prefetch_beside_line(from, in_line);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(out + i * line), saturated_line<To, From>(from));
      });
  return lines * in_line;
}
#endif

/// Writes whole lines by streaming stores. Returns the number of elements in them.
template <class To, class From>
std::size_t stream_lines_of(std::byte* out, const std::byte* in, std::size_t count, Stores stores) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (saturates_by_lines<To, From>) return stream_saturated<To, From>(out, in, count, stores);
#endif
  return stream_numbers<To, From>(out, in, count, stores);
}

template <class To, class From>
void convert_numbers(std::byte* out, const std::byte* in, std::size_t count, Stores stores) {
  std::size_t i = stores != Stores::ordinary ? stream_lines_of<To, From>(out, in, count, stores)
                                             : store_numbers<To, From>(out, in, count);
#if HWY_TARGET == HWY_AVX2
  if constexpr (converts_by_four<To, From>) {
    for (; i + 4 <= count; i += 4) {
      convert_four(reinterpret_cast<To*>(out + i * sizeof(To)),
                   reinterpret_cast<const From*>(in + i * sizeof(From)));
    }
  }
#endif
  for (; i < count; ++i) {
    store_element<To>(out + i * sizeof(To), convert_element<To>(load_element<From>(in + i * sizeof(From))));
  }
}

#undef TENSTRIDE_STORES
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
