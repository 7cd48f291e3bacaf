// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_ZSTD
#include <zstd.h>
#endif

#include "io/zarr/codec_libraries.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {

#ifdef TENSTRIDE_HAS_ZSTD

std::size_t max_zstd_nbytes(std::size_t nbytes) {
  return ZSTD_compressBound(nbytes);
}

std::size_t decode_zstd(std::span<const std::byte> in, std::span<std::byte> out, CodecScratch& scratch,
                        std::string_view path) {
  const unsigned long long announced = ZSTD_getFrameContentSize(in.data(), in.size());
  if (announced == ZSTD_CONTENTSIZE_ERROR) {
    refuse_zarr(path, "has ", in.size(), " bytes that must be a frame of zstd, and are none");
  }
  if (announced != ZSTD_CONTENTSIZE_UNKNOWN && announced > out.size()) {
    refuse_zarr(path, "announces ", announced, " bytes in a frame of zstd, which must be at most ",
                out.size());
  }
  if (!scratch.zstd_decoder) {
    scratch.zstd_decoder.reset(ZSTD_createDCtx(),
                               [](void* decoder) { ZSTD_freeDCtx(static_cast<ZSTD_DCtx*>(decoder)); });
  }
  // One call for all frames: it writes into `out` alone, so that a frame without a size needs no buffer.
  const std::size_t count = ZSTD_decompressDCtx(static_cast<ZSTD_DCtx*>(scratch.zstd_decoder.get()),
                                                out.data(), out.size(), in.data(), in.size());
  if (ZSTD_isError(count) != 0) {
    refuse_zarr(path, "must have frames of zstd of at most ", out.size(), " bytes (",
                ZSTD_getErrorName(count), ")");
  }
  return count;
}

std::size_t encode_zstd(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                        CodecScratch& scratch, std::string_view path) {
  if (!scratch.zstd_encoder) {
    scratch.zstd_encoder.reset(ZSTD_createCCtx(),
                               [](void* encoder) { ZSTD_freeCCtx(static_cast<ZSTD_CCtx*>(encoder)); });
  }
  auto* const encoder = static_cast<ZSTD_CCtx*>(scratch.zstd_encoder.get());
  ZSTD_CCtx_setParameter(encoder, ZSTD_c_compressionLevel, codec.level);
  ZSTD_CCtx_setParameter(encoder, ZSTD_c_checksumFlag, codec.has_checksum ? 1 : 0);
  const std::size_t count = ZSTD_compress2(encoder, out.data(), out.size(), in.data(), in.size());
  if (ZSTD_isError(count) != 0) {
    refuse_zarr(path, "must be encoded by zstd, which fails (", ZSTD_getErrorName(count), ")");
  }
  return count;
}

#else

namespace {
[[noreturn]] void refuse_without_zstd(std::string_view path) {
  refuse_zarr(path, "needs the codec zstd, which this build of tenstride lacks");
}
}  // namespace

std::size_t max_zstd_nbytes(std::size_t nbytes) {
  return nbytes;
}
std::size_t decode_zstd(std::span<const std::byte>, std::span<std::byte>, CodecScratch&,
                        std::string_view path) {
  refuse_without_zstd(path);
}
std::size_t encode_zstd(const ZarrCodec&, std::span<const std::byte>, std::span<std::byte>, CodecScratch&,
                        std::string_view path) {
  refuse_without_zstd(path);
}

#endif

}  // namespace tenstride::io
