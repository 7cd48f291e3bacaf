// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_LZMA
#include <lzma.h>
#endif

#include <cstdint>

#include "io/zarr/codec_libraries.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {

std::size_t max_lzma_nbytes(std::size_t nbytes) {
  return nbytes + nbytes / 1000 + 1024;
}

#ifdef TENSTRIDE_HAS_LZMA

std::size_t decode_lzma(std::span<const std::byte> in, std::span<std::byte> out, std::string_view path) {
  // The highest preset takes 65 MiB; what a header announces is not believed beyond.
  std::uint64_t max_memory = std::uint64_t{128} << 20;
  std::size_t read = 0;
  std::size_t written = 0;
  const lzma_ret status = lzma_stream_buffer_decode(
      &max_memory, LZMA_CONCATENATED, nullptr, reinterpret_cast<const std::uint8_t*>(in.data()), &read,
      in.size(), reinterpret_cast<std::uint8_t*>(out.data()), &written, out.size());
  if (status == LZMA_BUF_ERROR) {
    refuse_zarr(path, "has ", in.size(), " bytes that must be lzma data (xz) of at most ", out.size(),
                " bytes; they hold more, or are cut off");
  }
  if (status == LZMA_MEMLIMIT_ERROR) {
    refuse_zarr(path, "has lzma data that take ", max_memory,
                " bytes of memory and must take at most 134217728");
  }
  if (status != LZMA_OK) {
    refuse_zarr(path, "has ", in.size(),
                " bytes that must be lzma data (xz) with their checksum; they are damaged or cut off");
  }
  return written;
}

#else

std::size_t decode_lzma(std::span<const std::byte>, std::span<std::byte>, std::string_view path) {
  refuse_zarr(path, "needs the codec lzma, which this build of tenstride lacks");
}

#endif

}  // namespace tenstride::io
