// SPDX-License-Identifier: Apache-2.0
// Packing rows whose bytes are permuted by a program of vectors. Included once for each instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_PACK_PERMUTED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_PACK_PERMUTED_INL
#undef TENSTRIDE_COPY_KERNELS_PACK_PERMUTED_INL
#else
#define TENSTRIDE_COPY_KERNELS_PACK_PERMUTED_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "copy/kernels/pack.hpp"
#include "copy/kernels/pack_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

inline RowGroup rows_of(const PermuteProgram& program) {
  return {program.rows, program.bytes, program.lowest, program.span};
}

/// The bytes of rows that are permuted vector by vector: they stay in the L1 cache.
inline constexpr std::size_t permuted_batch = 4096;

/// Where a group of rows is read and where it is written.
struct RowPlace {
  const std::byte* from;
  std::byte* to;
};

/// What a step loads: a vector, or two halves of one from different places.
enum class Window { whole, halves };

/// What a step takes its bytes from.
template <Window window, class D>
hn::Vec<D> load_window(D d, const std::uint8_t* from, Index first, Index second) {
  if constexpr (window == Window::whole) {
    return hn::LoadU(d, from + first);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, hn::LoadU(half, from + second), hn::LoadU(half, from + first));
  }
}

/// Makes one vector of each of `count` groups of rows, by steps whose lanes stay in registers. `adds`: to
/// what the steps before these made of it.
template <std::size_t steps, Window window, bool adds>
void permute_vector(const RowPlace* places, std::size_t count, std::uint32_t dst_offset,
                    const PermuteProgram::Step* step, const std::uint8_t* lanes) {
  const hn::FixedTag<std::uint8_t, 16> d;
  hn::Vec<decltype(d)> taken[steps];
  Index first[steps];
  Index second[steps];
#pragma GCC unroll 8
  for (std::size_t s = 0; s < steps; ++s) {
    taken[s] = hn::LoadU(d, lanes + s * 16);
    first[s] = step[s].src_offset;
    second[s] = step[s].second_offset;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto* const from = reinterpret_cast<const std::uint8_t*>(places[i].from);
    auto* const to = reinterpret_cast<std::uint8_t*>(places[i].to) + dst_offset;
    auto made = adds ? hn::LoadU(d, to) : hn::Zero(d);
#pragma GCC unroll 8
    for (std::size_t s = 0; s < steps; ++s) {
      const auto given = load_window<window>(d, from, first[s], second[s]);
      made = hn::Or(made, hn::TableLookupBytesOr0(given, taken[s]));
    }
    hn::StoreU(made, d, to);
  }
}

using PermuteVector = void (*)(const RowPlace*, std::size_t, std::uint32_t, const PermuteProgram::Step*,
                               const std::uint8_t*);

/// The most steps whose lanes stay in registers.
inline constexpr std::size_t max_steps = 8;

/// The functions for 1 to `max_steps` steps.
template <Window window, bool adds, std::size_t... i>
constexpr std::array<PermuteVector, max_steps> permute_vectors(std::index_sequence<i...>) {
  return {permute_vector<i + 1, window, adds>...};
}
inline constexpr std::make_index_sequence<max_steps> each_count;
inline constexpr auto permute_whole = permute_vectors<Window::whole, false>(each_count);
inline constexpr auto permute_halves = permute_vectors<Window::halves, false>(each_count);
inline constexpr auto add_halves = permute_vectors<Window::halves, true>(each_count);

/// Permutes rows by 16-byte vectors, whose bytes every instruction set can permute freely: one vector of the
/// program for many rows, then the next.
inline void permute_places(const PermuteProgram& program, const RowPlace* places, std::size_t count) {
  for (const PermuteProgram::Vector& vector : program.vectors) {
    const std::size_t steps = std::min<std::size_t>(vector.last_step - vector.first_step, max_steps);
    const auto& permute = vector.is_whole ? permute_whole : permute_halves;
    std::size_t s = vector.first_step;
    const auto run = [&](PermuteVector function) {
      function(places, count, vector.dst_offset, &program.steps[s], &program.lanes[s * 16]);
    };
    run(permute[steps - 1]);
    for (s += steps; s < vector.last_step; s += max_steps)
      run(add_halves[std::min<std::size_t>(vector.last_step - s, max_steps) - 1]);
  }
}

/// Permutes rows of fewer bytes than a vector: one vector each, of which their bytes are stored. Pixels of 12
/// bytes one byte after the other -> so: .09 -> .16 of a plain copy (Zen 3).
template <Window window>
void permute_short_places(const PermuteProgram& program, const RowPlace* places, std::size_t count) {
  const hn::FixedTag<std::uint8_t, 16> d;
  alignas(16) std::array<std::uint8_t, 16> row;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* const from = reinterpret_cast<const std::uint8_t*>(places[i].from);
    auto made = hn::Zero(d);
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
      const auto taken = hn::LoadU(d, &program.lanes[s * 16]);
      const PermuteProgram::Step& step = program.steps[s];
      const auto given = load_window<window>(d, from, step.src_offset, step.second_offset);
      made = hn::Or(made, hn::TableLookupBytesOr0(given, taken));
    }
    hn::Store(made, d, row.data());
    copy_short_row(places[i].to, reinterpret_cast<const std::byte*>(row.data()), program.bytes);
  }
}

inline void pack_permuted(Pack& pack) {
  const PermuteProgram& program = pack.table->program;
  const auto permute = program.bytes >= 16                ? permute_places
                       : program.vectors.front().is_whole ? permute_short_places<Window::whole>
                                                          : permute_short_places<Window::halves>;
  std::array<RowPlace, 64> places;
  const std::size_t batch = std::clamp<std::size_t>(permuted_batch / program.bytes, 1, places.size());
  std::size_t count = 0;
  for (RowCursor cursor(pack, rows_of(program)); cursor.next();) {
    places[count++] = {cursor.from, cursor.to};
    if (count < batch) continue;
    permute(program, places.data(), count);
    count = 0;
  }
  if (count > 0) permute(program, places.data(), count);
}

#if HWY_TARGET == HWY_AVX3
#pragma GCC push_options
#pragma GCC target("avx512vbmi")

/// Returns a mask of the first `count` lanes, or of all 64.
inline __mmask64 first_bytes(std::size_t count) {
  return count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
}

/// Permutes rows 64 bytes at a time by AVX-512 VBMI, which is a target of its own in Highway. Direct blocks
/// are written by streaming stores except for the last rows, which may overlap the ones before and are not
/// aligned.
inline void pack_permuted_64(Pack& pack) {
  const PermuteProgram& program = pack.table->program;
  const PermuteProgram::Step* const steps = program.steps.data();
  const std::uint8_t* const lanes = program.lanes.data();
  const __mmask64 read = first_bytes(program.span);
  const __mmask64 written = first_bytes(program.bytes);
  for (RowCursor cursor(pack, rows_of(program)); cursor.next();) {
    const bool is_line = pack.is_direct && reinterpret_cast<std::uintptr_t>(cursor.to) % line_bytes == 0;
    for (const PermuteProgram::Vector& vector : program.vectors) {
      __m512i made = _mm512_setzero_si512();
      for (std::size_t s = vector.first_step; s < vector.last_step; ++s) {
        const __m512i given = _mm512_maskz_loadu_epi8(read, cursor.from + steps[s].src_offset);
        made =
            _mm512_mask_permutexvar_epi8(made, steps[s].lane_mask, _mm512_loadu_si512(lanes + s * 64), given);
      }
      if (is_line) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(cursor.to + vector.dst_offset), made);
      } else {
        _mm512_mask_storeu_epi8(cursor.to + vector.dst_offset, written, made);
      }
    }
  }
}

#pragma GCC pop_options
#endif

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
