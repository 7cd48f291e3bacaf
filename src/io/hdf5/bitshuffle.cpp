// SPDX-License-Identifier: Apache-2.0
// The filter bitshuffle: in each block of elements, the first bits of all elements come first, then the
// second bits …, from the lowest bit of the first byte on. Elements behind the last eight stay as they are.
#include <algorithm>
#include <cstring>

#include "base/message.hpp"
#include "io/hdf5/filters.hpp"
#include "io/stream/big_endian.hpp"
#include "io/zarr/codec_libraries.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

/// The filter's own choice: 8 KiB, in elements a multiple of 8 and at least 128.
std::size_t default_bitshuffle_block(std::size_t item) {
  return std::max<std::size_t>(8192 / item / 8 * 8, 128);
}

/// Bit i of byte k becomes bit k of byte i.
std::uint64_t transpose_bits(std::uint64_t x) {
  std::uint64_t moved = (x ^ (x >> 7)) & 0x00aa00aa00aa00aaU;
  x ^= moved ^ (moved << 7);
  moved = (x ^ (x >> 14)) & 0x0000cccc0000ccccU;
  x ^= moved ^ (moved << 14);
  moved = (x ^ (x >> 28)) & 0x00000000f0f0f0f0U;
  return x ^ moved ^ (moved << 28);
}

/// Pre: the number of elements is a multiple of 8.
void unshuffle_bits(std::byte* dst, const std::byte* src, std::size_t count, std::size_t item) {
  const std::size_t row = count / 8;
  for (std::size_t byte = 0; byte < item; ++byte) {
    for (std::size_t group = 0; group < row; ++group) {
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < 8; ++i) {
        bits |= std::to_integer<std::uint64_t>(src[(byte * 8 + i) * row + group]) << (8 * i);
      }
      bits = transpose_bits(bits);
      for (std::size_t i = 0; i < 8; ++i) {
        dst[(group * 8 + i) * item + byte] = static_cast<std::byte>(bits >> (8 * i) & 255);
      }
    }
  }
}

class BitshuffleDecoder {
 public:
  BitshuffleDecoder(const Hdf5Filter& filter, Hdf5Scratch& scratch, const std::string& where)
      : item_(parameter(filter, 2)), compression_(parameter(filter, 4)), scratch_(scratch), where_(where) {
    block_ = parameter(filter, 3);
    if (item_ == 0) refuse("bits of elements of 1 byte or more, not of 0");
    if (block_ == 0) block_ = default_bitshuffle_block(item_);
  }

  std::size_t decode(std::span<const std::byte> in, std::span<std::byte> out) {
    std::uint64_t total = in.size();
    if (compression_ != 0) {
      constexpr std::size_t head = 12;
      if (in.size() < head) refuse("bitshuffle data, which are cut off");
      total = big_endian(in.first(8));
      block_ = big_endian(in.subspan(8, 4)) / item_;
      in = in.subspan(head);
    }
    if (total > out.size()) {
      refuse(tenstride::detail::message("at most ", out.size(), " bytes of elements, it has ", total));
    }
    if (block_ == 0 || block_ % 8 != 0) refuse("bitshuffle data of blocks of a multiple of 8 elements");
    const std::size_t whole = total / item_ / 8 * 8;
    for (std::size_t first = 0; first < whole; first += block_) {
      const std::size_t count = std::min(block_, whole - first);
      const std::span<const std::byte> block = next_block(in, count * item_);
      unshuffle_bits(out.data() + first * item_, block.data(), count, item_);
    }
    const std::size_t done = whole * item_;
    if (in.size() < total - done) refuse("bitshuffle data, which are cut off");
    std::copy_n(in.begin(), total - done, out.begin() + static_cast<std::ptrdiff_t>(done));
    return total;
  }

 private:
  static std::size_t parameter(const Hdf5Filter& filter, std::size_t i) {
    return i < filter.parameters.size() ? filter.parameters[i] : 0;
  }

  [[noreturn]] void refuse(const std::string& what) const { throw FileError(where_ + what, ""); }

  /// The bits of the next block, and `in` behind it.
  std::span<const std::byte> next_block(std::span<const std::byte>& in, std::size_t nbytes) {
    const auto take = [&](std::size_t count) {
      if (in.size() < count) refuse("bitshuffle data, which are cut off");
      const std::span<const std::byte> taken = in.first(count);
      in = in.subspan(count);
      return taken;
    };
    if (compression_ == 0) return take(nbytes);
    const std::span<const std::byte> stored = take(big_endian(take(4)));
    scratch_.block.resize(nbytes);
    const auto block = std::as_writable_bytes(std::span(scratch_.block));
    if (!decode_block(stored, block)) refuse("bitshuffle data, which are damaged");
    return block;
  }

  bool decode_block(std::span<const std::byte> stored, std::span<std::byte> block) {
    if (compression_ == 2) return decode_lz4_block(stored, block);
    try {
      return decode_zstd(stored, block, scratch_.codecs, "") == block.size();
    } catch (const FileError&) {
      return false;
    }
  }

  std::size_t item_;
  std::size_t block_ = 0;
  std::size_t compression_;
  Hdf5Scratch& scratch_;
  const std::string& where_;
};

}  // namespace

std::size_t decode_bitshuffle(const Hdf5Filter& filter, std::span<const std::byte> in,
                              std::span<std::byte> out, Hdf5Scratch& scratch, const std::string& where) {
  return BitshuffleDecoder(filter, scratch, where).decode(in, out);
}

}  // namespace tenstride::io
