// SPDX-License-Identifier: Apache-2.0
// numcodecs' lz4: the number of bytes in 4, the lowest first, then one block.
#ifdef TENSTRIDE_HAS_LZ4
#include <lz4.h>
#endif

#include <limits>

#include "io/zarr/codec_libraries.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {
namespace {

constexpr std::size_t lz4_head_nbytes = 4;

}  // namespace

#ifdef TENSTRIDE_HAS_LZ4

std::size_t max_lz4_nbytes(std::size_t nbytes) {
  return nbytes + nbytes / 255 + 16 + lz4_head_nbytes;
}

std::size_t decode_lz4(std::span<const std::byte> in, std::span<std::byte> out, std::string_view path) {
  constexpr std::size_t max_block = std::numeric_limits<int>::max();
  if (in.size() < lz4_head_nbytes || in.size() > max_block) {
    refuse_zarr(path, "has ", in.size(), " bytes that must be a block of lz4 behind its length, from ",
                lz4_head_nbytes, " to ", max_block);
  }
  std::size_t announced = 0;
  for (std::size_t i = lz4_head_nbytes; i-- > 0;)
    announced = announced << 8 | std::to_integer<std::size_t>(in[i]);
  if (announced > out.size() || announced > max_block) {
    refuse_zarr(path, "announces ", announced, " bytes in a block of lz4, which must be at most ",
                out.size());
  }
  const std::span<const std::byte> block = in.subspan(lz4_head_nbytes);
  const int count =
      LZ4_decompress_safe(reinterpret_cast<const char*>(block.data()), reinterpret_cast<char*>(out.data()),
                          static_cast<int>(block.size()), static_cast<int>(announced));
  if (count < 0 || static_cast<std::size_t>(count) != announced) {
    refuse_zarr(path, "must have a block of lz4 of ", announced, " bytes, as it announces; it is damaged");
  }
  return announced;
}

#else

std::size_t max_lz4_nbytes(std::size_t nbytes) {
  return nbytes + lz4_head_nbytes;
}
std::size_t decode_lz4(std::span<const std::byte>, std::span<std::byte>, std::string_view path) {
  refuse_zarr(path, "needs the codec lz4, which this build of tenstride lacks");
}

#endif

}  // namespace tenstride::io
