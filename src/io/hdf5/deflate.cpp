// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_DEFLATE
#include <libdeflate.h>
#endif

#include "base/message.hpp"
#include "io/hdf5/filters.hpp"
#include "tenstride/error.hpp"

namespace tenstride::io {

#ifdef TENSTRIDE_HAS_DEFLATE

std::size_t inflate_bytes(std::span<const std::byte> in, std::span<std::byte> out, Hdf5Scratch& scratch,
                          const std::string& where) {
  if (!scratch.inflater) {
    scratch.inflater.reset(libdeflate_alloc_decompressor(), [](void* inflater) {
      libdeflate_free_decompressor(static_cast<libdeflate_decompressor*>(inflater));
    });
  }
  auto* const inflater = static_cast<libdeflate_decompressor*>(scratch.inflater.get());
  std::size_t count = 0;
  const libdeflate_result result =
      libdeflate_zlib_decompress(inflater, in.data(), in.size(), out.data(), out.size(), &count);
  if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
    throw FileError(
        where + tenstride::detail::message("at most ", out.size(), " bytes of elements, it has more"), "");
  }
  if (result != LIBDEFLATE_SUCCESS) throw FileError(where + "deflate data, which are damaged", "");
  return count;
}

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

namespace {
[[noreturn]] void refuse_deflate(const std::string& where) {
  throw FileError(where + "no deflated chunks: this build of tenstride has no libdeflate", "");
}
}  // namespace

std::size_t inflate_bytes(std::span<const std::byte>, std::span<std::byte>, Hdf5Scratch&,
                          const std::string& where) {
  refuse_deflate(where);
}
std::span<const std::byte> deflate_bytes(std::span<const std::byte>, int, Hdf5Scratch&,
                                         const std::string& where) {
  refuse_deflate(where);
}

#endif

}  // namespace tenstride::io
