// SPDX-License-Identifier: Apache-2.0
// The leaves of a copy: short loops over a block that fits the L1 cache, one table of them per instruction
// set. They move bits; an item is 1 << log2 bytes. No address needs an alignment unless said.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tenstride/dtype.hpp"

namespace tenstride::copy {

/// Bytes by which a leaf may write past the end of its block; buffers have so much room after their end.
inline constexpr std::size_t spill_bytes = 64;

/// `count` elements of one type to another, from dense to dense.
using ConvertRow = void (*)(std::byte* out, const std::byte* in, std::size_t count);

struct Kernels {
  const char* name;
  /// out[c * out_pitch + r * item] = in[r * in_pitch + c * item] for r < rows, c < cols. A row of `out` may
  /// spill over its end by less than 16 bytes, which the next row, written later, repairs; so out_pitch may
  /// be rows * item. `prefetch` bytes from each row's start the next block is asked for; 0 asks for nothing.
  using Turn = void (*)(std::byte* out, std::size_t out_pitch, const std::byte* in, std::ptrdiff_t in_pitch,
                        std::size_t rows, std::size_t cols, std::ptrdiff_t prefetch);
  std::array<Turn, 5> turn;
  /// out[i] = in[i * stride], the stride in bytes.
  using Gather = void (*)(std::byte* out, const std::byte* in, std::ptrdiff_t stride, std::size_t count);
  std::array<Gather, 5> gather;
  /// out[c * pitch + i * item] = in[(i * channels + c) * item], for 2, 3 and 4 channels ([channels - 2]).
  using Deinterleave = void (*)(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t count);
  std::array<std::array<Deinterleave, 3>, 4> deinterleave;
  /// out[(i * channels + c) * item] = in[c * pitch + i * item].
  using Interleave = void (*)(std::byte* out, const std::byte* in, std::ptrdiff_t pitch, std::size_t count);
  std::array<std::array<Interleave, 3>, 4> interleave;
  /// Memory that will be read soon: `lines` cache lines of each of some rows. The leaf asks for one line with
  /// each line it writes, so that reads and writes go on at the same time. No lines: nothing to ask for.
  struct Ahead {
    const std::byte* start = nullptr;
    std::ptrdiff_t pitch = 0;
    std::size_t lines = 0;
    std::size_t rows = 0;
  };
  /// Whole lines past the cache: `bytes` is a multiple of 64. Each row is shifted down to a line's start on
  /// both sides: by (dst & 63) bytes.
  using StreamRows = void (*)(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src,
                              std::ptrdiff_t src_pitch, std::size_t rows, std::size_t bytes,
                              const Ahead& ahead);
  StreamRows stream_rows;
  /// Rows by ordinary stores.
  using CopyRows = void (*)(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src,
                            std::ptrdiff_t src_pitch, std::size_t rows, std::size_t bytes);
  CopyRows copy_rows;
  /// Makes streamed lines visible to other threads.
  void (*fence)();
  /// A row of floats: row[i] = row[i] * scale + shift, rounded after each.
  void (*scale)(std::byte* row, std::size_t count, float scale, float shift);
  /// A faster loop for the pair, or nullptr.
  ConvertRow (*convert)(DType to, DType from);
};

/// The table of plain C++, which every machine runs and all others are tested against.
const Kernels& portable_kernels();

/// The tables this processor can run, the best first, the portable one last.
std::span<const Kernels* const> available_kernels();

/// The table of the engine: the best of this processor, or the available one that the environment variable
/// TENSTRIDE_KERNELS names, read once.
const Kernels& kernels();

/// The plain loop over `convert_element` for a pair.
ConvertRow portable_convert(DType to, DType from);

}  // namespace tenstride::copy
