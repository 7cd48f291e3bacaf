// SPDX-License-Identifier: Apache-2.0
// Conversions between the numbers that C++ knows (bool, integers, float, double), vectorized by the
// compiler: it knows the shortest way from each to each on every instruction set.
#if defined(TENSTRIDE_COPY_CONVERT_NUMBERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_CONVERT_NUMBERS_INL
#undef TENSTRIDE_COPY_CONVERT_NUMBERS_INL
#else
#define TENSTRIDE_COPY_CONVERT_NUMBERS_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "copy/convert/saturated-inl.h"
#include "copy/kernels/kernels.hpp"
#include "tenstride/element.hpp"

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

/// The same where several pages are read alternately, into the L1 cache: .65–.71 without it → .83–.89 of a
/// plain copy (float32 to uint8, Emerald Rapids). 2 KiB gives .74–.83, the L2 cache .77–.80.
inline constexpr std::size_t page_prefetch_distance = 1024;

/// The same where memory is read as one stream, for item sizes that differ by half at most. Of a plain copy
/// on Zen 5, without it → with 1 KiB → with 8 KiB: float32 to uint8 .57 → .73 → 1.00, to int64 .88 → .87 →
/// 1.07, uint8 to float16 .94 → .94 → 1.09. Float32 to float16 loses: .88 → .76.
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

/// A floating value as an integer without a branch: brought into the range first, then repaired at both odd
/// ends.
template <class To, class From>
HWY_INLINE To saturate_straight(From x) {
  constexpr From limit = From(2) * static_cast<From>(To(1) << (std::numeric_limits<To>::digits - 1));
  constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
  // The largest value below the limit that From has and To can take.
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

template <class To, class From>
HWY_INLINE void convert_step(std::byte* out, const std::byte* in) {
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

/// What `count` numbers from `from` on take of what comes later: only where more is read than written.
template <class To, class From>
HWY_INLINE void prefetch_source(const std::byte* from, std::size_t count) {
  if constexpr (sizeof(To) < sizeof(From)) {
    for (std::size_t at = 0; at < count * sizeof(From); at += 64)
      __builtin_prefetch(from + prefetch_distance + at, 0, 2);
  }
}

/// A vector from what was stored by at most `store_bytes` at a time, loaded so too: a load of two stores that
/// are still on their way would wait for them.
template <class D>
HWY_INLINE hn::Vec<D> load_stored(D d, const std::uint8_t* from) {
  if constexpr (hn::MaxLanes(d) > store_bytes) {
    const hn::Half<D> half;
    return hn::Combine(d, hn::Load(half, from + store_bytes), hn::Load(half, from));
  } else {
    return hn::Load(d, from);
  }
}

/// How many pages lines are written to in turn, so that as many streams are read: of four float32 to uint8
/// has .73 of a plain copy, .60 in order; to bfloat16 .68 to .81, .57 to .67 in order; int32 to float32 .99
/// beyond the L3 cache, .87 in order; float64 to int64 .96 and .80; float32 to float64 1.07 and .97. Where
/// items of 1 and 2 bytes become wider (int16 to float32 .92, .97 in order), or 8 bytes are read for 4, it
/// gives nothing (float64 to float32 .86, .89 in order).
template <class To, class From>
inline constexpr std::size_t alternating_pages = sizeof(From) >= 4 * sizeof(To) ||
                                                         sizeof(From) == sizeof(To) ||
                                                         (sizeof(From) > sizeof(To) && sizeof(From) <= 4) ||
                                                         (sizeof(From) < sizeof(To) && sizeof(From) >= 4)
                                                     ? 4
                                                     : 1;

/// `line(i)` for every line i of so many, pages in turn; the last ones, too few for all pages, one after
/// another. Two nested loops and no arithmetic for each line: of a plain copy within the L3 cache float32 to
/// uint8 .95, to int32 .93, .84 and .78 where the line's place was computed of its number.
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

/// `prefetch_source` for lines that each_line goes through: where as much is written as read, it takes .05 to
/// .1 within the L3 cache (float16 to bfloat16 .85 without, .75 with it).
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
/// What the compiler makes of saturate_straight takes 14 instructions for 16 floats, these 4: float32 to
/// int64 .82 of a plain copy by the former.
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
