// SPDX-License-Identifier: Apache-2.0
#include "plain_copy.hpp"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tenstride::bench {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t page = 4096;

void copy_memcpy(std::byte* dst, const std::byte* src, std::size_t bytes) {
  std::memcpy(dst, src, bytes);
}

void fill_memset(std::byte* dst, unsigned char value, std::size_t bytes) {
  std::memset(dst, value, bytes);
}

#if defined(__x86_64__)

/// One line by streaming stores; dst is aligned to a line.
struct Sse2 {
  static constexpr const char* name = "SSE2";
  __attribute__((target("sse2"), always_inline)) static inline void line(std::byte* dst,
                                                                         const std::byte* src) {
    const auto* const from = reinterpret_cast<const __m128i*>(src);
    auto* const to = reinterpret_cast<__m128i*>(dst);
    const __m128i a = _mm_loadu_si128(from);
    const __m128i b = _mm_loadu_si128(from + 1);
    const __m128i c = _mm_loadu_si128(from + 2);
    const __m128i d = _mm_loadu_si128(from + 3);
    _mm_stream_si128(to, a);
    _mm_stream_si128(to + 1, b);
    _mm_stream_si128(to + 2, c);
    _mm_stream_si128(to + 3, d);
  }
  __attribute__((target("sse2"))) static void lines(std::byte* dst, const std::byte* src, std::size_t bytes);
  __attribute__((target("sse2"))) static void pages(std::byte* dst, const std::byte* src, std::size_t bytes);
};

struct Avx2 {
  static constexpr const char* name = "AVX2";
  __attribute__((target("avx2"), always_inline)) static inline void line(std::byte* dst,
                                                                         const std::byte* src) {
    const auto* const from = reinterpret_cast<const __m256i*>(src);
    auto* const to = reinterpret_cast<__m256i*>(dst);
    const __m256i a = _mm256_loadu_si256(from);
    const __m256i b = _mm256_loadu_si256(from + 1);
    _mm256_stream_si256(to, a);
    _mm256_stream_si256(to + 1, b);
  }
  __attribute__((target("avx2"))) static void lines(std::byte* dst, const std::byte* src, std::size_t bytes);
  __attribute__((target("avx2"))) static void pages(std::byte* dst, const std::byte* src, std::size_t bytes);
};

struct Avx512 {
  static constexpr const char* name = "AVX-512";
  __attribute__((target("avx512f"), always_inline)) static inline void line(std::byte* dst,
                                                                            const std::byte* src) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(dst), _mm512_loadu_si512(src));
  }
  __attribute__((target("avx512f"))) static void lines(std::byte* dst, const std::byte* src,
                                                       std::size_t bytes);
  __attribute__((target("avx512f"))) static void pages(std::byte* dst, const std::byte* src,
                                                       std::size_t bytes);
};

// The three bodies are the same text: a template cannot carry the target.
#define TENSTRIDE_BENCH_STREAMS(Vector)                                                            \
  void Vector::lines(std::byte* dst, const std::byte* src, std::size_t bytes) {                    \
    for (std::size_t at = 0; at < bytes; at += ::tenstride::bench::line) line(dst + at, src + at); \
    _mm_sfence();                                                                                  \
  }                                                                                                \
  void Vector::pages(std::byte* dst, const std::byte* src, std::size_t bytes) {                    \
    std::size_t at = 0;                                                                            \
    for (; at + 4 * page <= bytes; at += 4 * page) {                                               \
      for (std::size_t i = at; i < at + page; i += ::tenstride::bench::line) {                     \
        line(dst + i, src + i);                                                                    \
        line(dst + i + page, src + i + page);                                                      \
        line(dst + i + 2 * page, src + i + 2 * page);                                              \
        line(dst + i + 3 * page, src + i + 3 * page);                                              \
      }                                                                                            \
    }                                                                                              \
    lines(dst + at, src + at, bytes - at);                                                         \
  }
TENSTRIDE_BENCH_STREAMS(Sse2)
TENSTRIDE_BENCH_STREAMS(Avx2)
TENSTRIDE_BENCH_STREAMS(Avx512)
#undef TENSTRIDE_BENCH_STREAMS

/// The bytes before the first whole line of dst and after the last go by memcpy.
template <void (*whole_lines)(std::byte*, const std::byte*, std::size_t)>
void stream(std::byte* dst, const std::byte* src, std::size_t bytes) {
  const std::size_t before = (line - reinterpret_cast<std::uintptr_t>(dst) % line) % line;
  if (bytes < before + line) {
    std::memcpy(dst, src, bytes);
    return;
  }
  const std::size_t whole = (bytes - before) / line * line;
  std::memcpy(dst, src, before);
  whole_lines(dst + before, src + before, whole);
  std::memcpy(dst + before + whole, src + before + whole, bytes - before - whole);
}

void stream_fill(std::byte* dst, unsigned char value, std::size_t bytes) {
  const std::size_t before = (line - reinterpret_cast<std::uintptr_t>(dst) % line) % line;
  if (bytes < before + line) {
    std::memset(dst, value, bytes);
    return;
  }
  const std::size_t whole = (bytes - before) / line * line;
  std::memset(dst, value, before);
  const __m128i values = _mm_set1_epi8(static_cast<char>(value));
  for (std::byte* to = dst + before; to != dst + before + whole; to += sizeof values) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), values);
  }
  _mm_sfence();
  std::memset(dst + before + whole, value, bytes - before - whole);
}

template <class Vector>
void add(std::vector<PlainCopy>& copies) {
  copies.push_back({std::string("stream ") + Vector::name, stream<Vector::lines>});
  copies.push_back({std::string("stream ") + Vector::name + " four pages", stream<Vector::pages>});
}

#endif

/// Where the part of a member begins; the last ends at `bytes`.
std::size_t part(std::size_t bytes, int member, int members) {
  if (member == members) return bytes;
  return bytes / static_cast<std::size_t>(members) * static_cast<std::size_t>(member) / page * page;
}

}  // namespace

std::vector<PlainCopy> plain_copies() {
  std::vector<PlainCopy> copies{{"memcpy", copy_memcpy}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    add<Avx512>(copies);
  } else if (__builtin_cpu_supports("avx2")) {
    add<Avx2>(copies);
  } else {
    add<Sse2>(copies);
  }
#endif
  return copies;
}

std::vector<PlainFill> plain_fills() {
  std::vector<PlainFill> fills{{"memset", fill_memset}};
#if defined(__x86_64__)
  fills.push_back({"stream fill", stream_fill});
#endif
  return fills;
}

void copy_with(Team& team, const PlainCopy& plain, std::byte* dst, const std::byte* src, std::size_t bytes) {
  team.run([&](int member) {
    const std::size_t begin = part(bytes, member, team.members());
    plain.copy(dst + begin, src + begin, part(bytes, member + 1, team.members()) - begin);
  });
}

void fill_with(Team& team, const PlainFill& plain, std::byte* dst, unsigned char value, std::size_t bytes) {
  team.run([&](int member) {
    const std::size_t begin = part(bytes, member, team.members());
    plain.fill(dst + begin, value, part(bytes, member + 1, team.members()) - begin);
  });
}

}  // namespace tenstride::bench
