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

namespace {

/// The highest preset takes 65 MiB; what a header announces is not believed beyond.
constexpr std::uint64_t max_lzma_memory = std::uint64_t{128} << 20;

struct LzmaResult {
  lzma_ret status = LZMA_OK;
  std::size_t written = 0;
  std::uint64_t memory = max_lzma_memory;
};

LzmaResult decode_xz(std::span<const std::byte> in, std::span<std::byte> out) {
  LzmaResult result;
  std::size_t read = 0;
  result.status = lzma_stream_buffer_decode(
      &result.memory, LZMA_CONCATENATED, nullptr, reinterpret_cast<const std::uint8_t*>(in.data()), &read,
      in.size(), reinterpret_cast<std::uint8_t*>(out.data()), &result.written, out.size());
  return result;
}

/// One stream with a header that may not say how long it is; then a mark ends it.
LzmaResult decode_lzma_alone(std::span<const std::byte> in, std::span<std::byte> out) {
  lzma_stream stream = LZMA_STREAM_INIT;
  LzmaResult result;
  result.status = lzma_alone_decoder(&stream, max_lzma_memory);
  stream.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
  stream.avail_in = in.size();
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = out.size();
  if (result.status == LZMA_OK) result.status = lzma_code(&stream, LZMA_FINISH);
  // The mark is looked for only where there is room for more.
  std::uint8_t more = 0;
  if (result.status == LZMA_OK && stream.avail_out == 0) {
    stream.next_out = &more;
    stream.avail_out = 1;
    result.status = lzma_code(&stream, LZMA_FINISH);
  }
  result.written = static_cast<std::size_t>(stream.total_out);
  if (result.status == LZMA_MEMLIMIT_ERROR) result.memory = lzma_memusage(&stream);
  if (result.status == LZMA_STREAM_END) {
    const bool is_whole = result.written <= out.size() && stream.avail_in == 0;
    result.status = is_whole ? LZMA_OK : LZMA_BUF_ERROR;
  } else if (result.status == LZMA_OK) {
    result.status = LZMA_BUF_ERROR;
  }
  lzma_end(&stream);
  return result;
}

}  // namespace

std::size_t decode_lzma(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                        std::string_view path) {
  const bool is_xz = codec.lzma_format == ZarrLzmaFormat::xz;
  const LzmaResult result = is_xz ? decode_xz(in, out) : decode_lzma_alone(in, out);
  if (result.status == LZMA_BUF_ERROR) {
    refuse_zarr(path, "has ", in.size(), " bytes that must be lzma data (", is_xz ? "xz" : "alone",
                ") of at most ", out.size(), " bytes; they hold more, or are cut off");
  }
  if (result.status == LZMA_MEMLIMIT_ERROR) {
    refuse_zarr(path, "has lzma data that take ", result.memory, " bytes of memory and must take at most ",
                max_lzma_memory);
  }
  if (result.status != LZMA_OK) {
    refuse_zarr(path, "has ", in.size(), " bytes that must be lzma data (",
                is_xz ? "xz) with their checksum; they are damaged or cut off" : "alone); they are damaged");
  }
  return result.written;
}

#else

std::size_t decode_lzma(const ZarrCodec&, std::span<const std::byte>, std::span<std::byte>,
                        std::string_view path) {
  refuse_zarr(path, "needs the codec lzma, which this build of tenstride lacks");
}

#endif

}  // namespace tenstride::io
