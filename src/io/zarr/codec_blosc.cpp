// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_BLOSC
#include <blosc.h>
#endif

#include "io/zarr/codec_libraries.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {

#ifdef TENSTRIDE_HAS_BLOSC

std::size_t max_blosc_nbytes(std::size_t nbytes) {
  return nbytes + BLOSC_MAX_OVERHEAD;
}

std::size_t decode_blosc(std::span<const std::byte> in, std::span<std::byte> out, std::string_view path) {
  std::size_t announced = 0;
  if (in.size() < BLOSC_MIN_HEADER_LENGTH || blosc_cbuffer_validate(in.data(), in.size(), &announced) != 0) {
    refuse_zarr(path, "has ", in.size(),
                " bytes that must be a buffer of blosc of this length; they are damaged or cut off");
  }
  if (announced > out.size()) {
    refuse_zarr(path, "announces ", announced, " bytes in a buffer of blosc, which must be at most ",
                out.size());
  }
  const int count = blosc_decompress_ctx(in.data(), out.data(), out.size(), 1);
  if (count < 0 || static_cast<std::size_t>(count) != announced) {
    refuse_zarr(path, "must have a buffer of blosc, which is damaged");
  }
  return announced;
}

std::size_t encode_blosc(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                         std::string_view path) {
  if (in.size() > static_cast<std::size_t>(BLOSC_MAX_BUFFERSIZE)) {
    refuse_zarr(path, "has chunks of ", in.size(), " bytes, which must be at most ", BLOSC_MAX_BUFFERSIZE,
                " for blosc");
  }
  const int count =
      blosc_compress_ctx(codec.level, static_cast<int>(codec.shuffle), static_cast<std::size_t>(codec.item),
                         in.size(), in.data(), out.data(), out.size(), codec.blosc_name.c_str(),
                         static_cast<std::size_t>(codec.block_nbytes), 1);
  if (count <= 0) {
    refuse_zarr(path, "must be encoded by blosc with ", codec.blosc_name, ", which fails or is not built in");
  }
  return static_cast<std::size_t>(count);
}

#else

namespace {
[[noreturn]] void refuse_without_blosc(std::string_view path) {
  refuse_zarr(path, "needs the codec blosc, which this build of tenstride lacks");
}
}  // namespace

std::size_t max_blosc_nbytes(std::size_t nbytes) {
  return nbytes;
}
std::size_t decode_blosc(std::span<const std::byte>, std::span<std::byte>, std::string_view path) {
  refuse_without_blosc(path);
}
std::size_t encode_blosc(const ZarrCodec&, std::span<const std::byte>, std::span<std::byte>,
                         std::string_view path) {
  refuse_without_blosc(path);
}

#endif

}  // namespace tenstride::io
