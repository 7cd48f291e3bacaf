// SPDX-License-Identifier: Apache-2.0
#include "io/stream/zlib_decoder.hpp"

#ifdef TENSTRIDE_HAS_DEFLATE
#include <libdeflate.h>

#include <new>
#endif

namespace tenstride::io {

#ifdef TENSTRIDE_HAS_DEFLATE

ZlibDecoder::Result ZlibDecoder::decode(std::span<const std::byte> in, std::span<std::byte> out) {
  if (!decoder_) {
    decoder_.reset(libdeflate_alloc_decompressor(), [](void* decoder) {
      libdeflate_free_decompressor(static_cast<libdeflate_decompressor*>(decoder));
    });
    if (!decoder_) throw std::bad_alloc();
  }
  Result result;
  switch (libdeflate_zlib_decompress(static_cast<libdeflate_decompressor*>(decoder_.get()), in.data(),
                                     in.size(), out.data(), out.size(), &result.nbytes)) {
    case LIBDEFLATE_SUCCESS:
      result.outcome = Outcome::whole;
      break;
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      result.outcome = Outcome::too_long;
      break;
    default:
      result.outcome = Outcome::damaged;
      break;
  }
  return result;
}

#else

ZlibDecoder::Result ZlibDecoder::decode(std::span<const std::byte> /*in*/, std::span<std::byte> /*out*/) {
  return {};
}

#endif

}  // namespace tenstride::io
