// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_DEFLATE
#include <libdeflate.h>
#endif

#include "base/message.hpp"
#include "io/hdf5/filters.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {
[[noreturn]] void refuse_deflate(const std::string& where) {
  throw FileError(where + "no deflated chunks: this build of tenstride has no libdeflate", "");
}
}  // namespace

std::size_t inflate_bytes(std::span<const std::byte> in, std::span<std::byte> out, Hdf5Scratch& scratch,
                          const std::string& where) {
  const ZlibDecoder::Result result = scratch.inflater.decode(in, out);
  switch (result.outcome) {
    case ZlibDecoder::Outcome::whole:
      break;
    case ZlibDecoder::Outcome::too_long:
      throw FileError(
          where + tenstride::detail::message("at most ", out.size(), " bytes of elements, it has more"), "");
    case ZlibDecoder::Outcome::damaged:
      throw FileError(where + "deflate data, which are damaged", "");
    case ZlibDecoder::Outcome::unavailable:
      refuse_deflate(where);
  }
  return result.nbytes;
}

#ifdef TENSTRIDE_HAS_DEFLATE

std::span<const std::byte> deflate_bytes(std::span<const std::byte> bytes, int level, Hdf5Scratch& scratch,
                                         const std::string& where) {
  if (!scratch.deflater || scratch.level != level) {
    scratch.deflater.reset(libdeflate_alloc_compressor(level), [](void* deflater) {
      libdeflate_free_compressor(static_cast<libdeflate_compressor*>(deflater));
    });
    scratch.level = level;
  }
  auto* const deflater = static_cast<libdeflate_compressor*>(scratch.deflater.get());
  std::string& out = scratch.buffers[0];
  out.resize(libdeflate_zlib_compress_bound(deflater, bytes.size()));
  const std::size_t count =
      deflater == nullptr
          ? 0
          : libdeflate_zlib_compress(deflater, bytes.data(), bytes.size(), out.data(), out.size());
  if (count == 0) throw FileError(where + "bytes that can be deflated", "");
  return std::as_bytes(std::span(out).first(count));
}

#else

std::span<const std::byte> deflate_bytes(std::span<const std::byte>, int, Hdf5Scratch&,
                                         const std::string& where) {
  refuse_deflate(where);
}

#endif

}  // namespace tenstride::io
