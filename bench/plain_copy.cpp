// SPDX-License-Identifier: Apache-2.0
#include "plain_copy.hpp"

#include <cstdint>
#include <cstring>

#include "call.hpp"

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

#if !defined(__x86_64__)

/// Adds up the words in 16 independent sums, so that the compiler can use vectors.
void read_words(const std::byte* src, std::size_t bytes) {
  constexpr std::size_t words = 16;
  std::uint64_t sums[words] = {};
  for (std::size_t at = 0; at + sizeof sums <= bytes; at += sizeof sums) {
    std::uint64_t values[words];
    std::memcpy(values, src + at, sizeof values);
    for (std::size_t i = 0; i < words; ++i) sums[i] += values[i];
  }
  keep(sums);
}

#else

// The vectors of the three widths, and how they are loaded, set, stored and streamed. Destinations of streams
// are aligned to a cache line.
struct Sse2 {
  static constexpr const char* name = "SSE2";
  using Vector = __m128i;
  static constexpr int vectors = 4;
  __attribute__((target("sse2"), always_inline)) static inline Vector load(const Vector* from) {
    return _mm_loadu_si128(from);
  }
  __attribute__((target("sse2"), always_inline)) static inline Vector set(unsigned char value) {
    return _mm_set1_epi8(static_cast<char>(value));
  }
  __attribute__((target("sse2"), always_inline)) static inline void store(Vector* to, Vector v) {
    _mm_store_si128(to, v);
  }
  __attribute__((target("sse2"), always_inline)) static inline void stream(Vector* to, Vector v) {
    _mm_stream_si128(to, v);
  }
};

struct Avx2 {
  static constexpr const char* name = "AVX2";
  using Vector = __m256i;
  static constexpr int vectors = 2;
  __attribute__((target("avx2"), always_inline)) static inline Vector load(const Vector* from) {
    return _mm256_loadu_si256(from);
  }
  __attribute__((target("avx2"), always_inline)) static inline Vector set(unsigned char value) {
    return _mm256_set1_epi8(static_cast<char>(value));
  }
  __attribute__((target("avx2"), always_inline)) static inline void store(Vector* to, Vector v) {
    _mm256_store_si256(to, v);
  }
  __attribute__((target("avx2"), always_inline)) static inline void stream(Vector* to, Vector v) {
    _mm256_stream_si256(to, v);
  }
};

struct Avx512 {
  static constexpr const char* name = "AVX-512";
  using Vector = __m512i;
  static constexpr int vectors = 1;
  __attribute__((target("avx512f"), always_inline)) static inline Vector load(const Vector* from) {
    return _mm512_loadu_si512(from);
  }
  __attribute__((target("avx512f"), always_inline)) static inline Vector set(unsigned char value) {
    return _mm512_set1_epi32(static_cast<int>(value * 0x01010101U));
  }
  __attribute__((target("avx512f"), always_inline)) static inline void store(Vector* to, Vector v) {
    _mm512_store_si512(to, v);
  }
  __attribute__((target("avx512f"), always_inline)) static inline void stream(Vector* to, Vector v) {
    _mm512_stream_si512(to, v);
  }
};

// Loops over whole lines. A macro, because a template cannot carry the target attribute.
#define TENSTRIDE_BENCH_LOOPS(Width, isa)                                                                    \
  struct Width##Loops : Width {                                                                              \
    __attribute__((target(isa), always_inline)) static inline void move(std::byte* dst,                      \
                                                                        const std::byte* src) {              \
      const auto* const from = reinterpret_cast<const Vector*>(src);                                         \
      auto* const to = reinterpret_cast<Vector*>(dst);                                                       \
      for (int i = 0; i < vectors; ++i) stream(to + i, load(from + i));                                      \
    }                                                                                                        \
    __attribute__((target(isa))) static void stored(std::byte* dst, const std::byte* src, std::size_t n) {   \
      const auto* const from = reinterpret_cast<const Vector*>(src);                                         \
      auto* const to = reinterpret_cast<Vector*>(dst);                                                       \
      for (std::size_t i = 0; i < n / sizeof(Vector); ++i) store(to + i, load(from + i));                    \
    }                                                                                                        \
    __attribute__((target(isa))) static void streamed(std::byte* dst, const std::byte* src, std::size_t n) { \
      for (std::size_t at = 0; at < n; at += line) move(dst + at, src + at);                                 \
      _mm_sfence();                                                                                          \
    }                                                                                                        \
    __attribute__((target(isa))) static void four_pages(std::byte* dst, const std::byte* src,                \
                                                        std::size_t n) {                                     \
      std::size_t at = 0;                                                                                    \
      for (; at + 4 * page <= n; at += 4 * page) {                                                           \
        for (std::size_t i = at; i < at + page; i += line) {                                                 \
          for (std::size_t k = 0; k < 4; ++k) move(dst + i + k * page, src + i + k * page);                  \
        }                                                                                                    \
      }                                                                                                      \
      streamed(dst + at, src + at, n - at);                                                                  \
    }                                                                                                        \
    __attribute__((target(isa), always_inline)) static inline void touch(const std::byte* src) {             \
      const auto* const from = reinterpret_cast<const Vector*>(src);                                         \
      for (int i = 0; i < vectors; ++i) asm volatile("" : : "x"(load(from + i)));                            \
    }                                                                                                        \
    __attribute__((target(isa))) static void read_sequential(const std::byte* src, std::size_t n) {          \
      for (std::size_t at = 0; at < n; at += line) touch(src + at);                                          \
    }                                                                                                        \
    __attribute__((target(isa))) static void read_four_pages(const std::byte* src, std::size_t n) {          \
      std::size_t at = 0;                                                                                    \
      for (; at + 4 * page <= n; at += 4 * page) {                                                           \
        for (std::size_t i = at; i < at + page; i += line) {                                                 \
          for (std::size_t k = 0; k < 4; ++k) touch(src + i + k * page);                                     \
        }                                                                                                    \
      }                                                                                                      \
      read_sequential(src + at, n - at);                                                                     \
    }                                                                                                        \
    __attribute__((target(isa))) static void fill_stored(std::byte* dst, unsigned char value,                \
                                                         std::size_t n) {                                    \
      auto* const to = reinterpret_cast<Vector*>(dst);                                                       \
      for (std::size_t i = 0; i < n / sizeof(Vector); ++i) {                                                 \
        store(to + i, set(value));                                                                           \
        asm volatile("" : : : "memory"); /* GCC would call memset */                                         \
      }                                                                                                      \
    }                                                                                                        \
    __attribute__((target(isa))) static void fill_streamed(std::byte* dst, unsigned char value,              \
                                                           std::size_t n) {                                  \
      auto* const to = reinterpret_cast<Vector*>(dst);                                                       \
      for (std::size_t i = 0; i < n / sizeof(Vector); ++i) stream(to + i, set(value));                       \
      _mm_sfence();                                                                                          \
    }                                                                                                        \
  }
TENSTRIDE_BENCH_LOOPS(Sse2, "sse2");
TENSTRIDE_BENCH_LOOPS(Avx2, "avx2");
TENSTRIDE_BENCH_LOOPS(Avx512, "avx512f");
#undef TENSTRIDE_BENCH_LOOPS

std::size_t bytes_before_line(const std::byte* address) {
  return (line - reinterpret_cast<std::uintptr_t>(address) % line) % line;
}

/// Copies whole lines of dst by `whole_lines`, and the bytes before and after them by memcpy.
template <void (*whole_lines)(std::byte*, const std::byte*, std::size_t)>
void copy_lines(std::byte* dst, const std::byte* src, std::size_t bytes) {
  const std::size_t before = bytes_before_line(dst);
  if (bytes < before + line) {
    std::memcpy(dst, src, bytes);
    return;
  }
  const std::size_t whole = (bytes - before) / line * line;
  std::memcpy(dst, src, before);
  whole_lines(dst + before, src + before, whole);
  std::memcpy(dst + before + whole, src + before + whole, bytes - before - whole);
}

template <void (*whole_lines)(std::byte*, unsigned char, std::size_t)>
void fill_lines(std::byte* dst, unsigned char value, std::size_t bytes) {
  const std::size_t before = bytes_before_line(dst);
  if (bytes < before + line) {
    std::memset(dst, value, bytes);
    return;
  }
  const std::size_t whole = (bytes - before) / line * line;
  std::memset(dst, value, before);
  whole_lines(dst + before, value, whole);
  std::memset(dst + before + whole, value, bytes - before - whole);
}

template <class Loops>
void add_stores(std::vector<PlainCopy>& copies) {
  copies.push_back({std::string(Loops::name) + " stores", copy_lines<Loops::stored>});
}

template <class Loops>
void add_streams(std::vector<PlainCopy>& copies) {
  const std::string name = Loops::name;
  copies.push_back({name + " streaming", copy_lines<Loops::streamed>});
  copies.push_back({name + " streaming, four pages", copy_lines<Loops::four_pages>});
}

template <class Loops>
void add_fills(std::vector<PlainFill>& fills) {
  const std::string name = Loops::name;
  fills.push_back({name + " stores", fill_lines<Loops::fill_stored>});
  fills.push_back({name + " streaming", fill_lines<Loops::fill_streamed>});
}

/// Reads the whole lines, without the last bytes that do not fill one.
template <void (*whole_lines)(const std::byte*, std::size_t)>
void read_lines(const std::byte* src, std::size_t bytes) {
  whole_lines(src, bytes / line * line);
}

template <class Loops>
void add_reads(std::vector<PlainRead>& reads) {
  const std::string name = Loops::name;
  reads.push_back({name + " read", read_lines<Loops::read_sequential>});
  reads.push_back({name + " read, four pages", read_lines<Loops::read_four_pages>});
}

#endif

/// The first byte of a member's part, on a page; the last member's part ends at `bytes`.
std::size_t part(std::size_t bytes, int member, int members) {
  if (member == members) return bytes;
  return bytes / static_cast<std::size_t>(members) * static_cast<std::size_t>(member) / page * page;
}

}  // namespace

std::vector<PlainCopy> plain_copies() {
  std::vector<PlainCopy> copies{{"memcpy", copy_memcpy}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) add_stores<Avx512Loops>(copies);
  if (__builtin_cpu_supports("avx2")) add_stores<Avx2Loops>(copies);
  add_stores<Sse2Loops>(copies);
  if (__builtin_cpu_supports("avx512f")) {
    add_streams<Avx512Loops>(copies);
  } else if (__builtin_cpu_supports("avx2")) {
    add_streams<Avx2Loops>(copies);
  } else {
    add_streams<Sse2Loops>(copies);
  }
#endif
  return copies;
}

std::vector<PlainFill> plain_fills() {
  std::vector<PlainFill> fills{{"memset", fill_memset}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) add_fills<Avx512Loops>(fills);
  if (__builtin_cpu_supports("avx2")) add_fills<Avx2Loops>(fills);
  add_fills<Sse2Loops>(fills);
#endif
  return fills;
}

std::vector<PlainRead> plain_reads() {
  std::vector<PlainRead> reads;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    add_reads<Avx512Loops>(reads);
  } else if (__builtin_cpu_supports("avx2")) {
    add_reads<Avx2Loops>(reads);
  } else {
    add_reads<Sse2Loops>(reads);
  }
#else
  reads.push_back({"read", read_words});
#endif
  return reads;
}

void read_with(Team& team, const PlainRead& plain, const std::byte* src, std::size_t bytes) {
  team.run([&](int member) {
    const std::size_t begin = part(bytes, member, team.members());
    plain.read(src + begin, part(bytes, member + 1, team.members()) - begin);
  });
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
