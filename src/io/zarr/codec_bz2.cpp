// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_BZIP2
#include <bzlib.h>
#endif

#include <algorithm>
#include <limits>

#include "io/zarr/codec_libraries.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {

std::size_t max_bz2_nbytes(std::size_t nbytes) {
  return nbytes + nbytes / 100 + 600;
}

#ifdef TENSTRIDE_HAS_BZIP2

namespace {

/// One stream after another.
class Bz2Decoder {
 public:
  explicit Bz2Decoder(std::string_view path) {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK)
      refuse_zarr(path, "must be decoded by bzip2, which fails");
  }
  ~Bz2Decoder() { BZ2_bzDecompressEnd(&stream_); }
  Bz2Decoder(const Bz2Decoder&) = delete;
  Bz2Decoder& operator=(const Bz2Decoder&) = delete;

  /// Decodes one stream; what is read and written is taken off.
  void decode(std::span<const std::byte>& in, std::span<std::byte>& out, std::string_view path) {
    const std::size_t room = out.size();
    int status = BZ_OK;
    while (status == BZ_OK) {
      constexpr std::size_t max_piece = std::numeric_limits<unsigned>::max();
      const std::size_t given = std::min(in.size(), max_piece), wanted = std::min(out.size(), max_piece);
      // The library has no const, and changes nothing.
      stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(in.data()));
      stream_.avail_in = static_cast<unsigned>(given);
      stream_.next_out = reinterpret_cast<char*>(out.data());
      stream_.avail_out = static_cast<unsigned>(wanted);
      status = BZ2_bzDecompress(&stream_);
      const std::size_t read = given - stream_.avail_in, written = wanted - stream_.avail_out;
      in = in.subspan(read);
      out = out.subspan(written);
      if (status == BZ_OK && read == 0 && written == 0) break;
    }
    if (status == BZ_OK && out.empty() && !in.empty()) {
      refuse_zarr(path, "has bz2 data of more than ", room, " bytes, which must be at most that");
    }
    if (status != BZ_STREAM_END) {
      refuse_zarr(path, "must have bz2 data with their checksums; they are damaged or cut off");
    }
  }

 private:
  bz_stream stream_{};
};

}  // namespace

std::size_t decode_bz2(std::span<const std::byte> in, std::span<std::byte> out, std::string_view path) {
  const std::size_t room = out.size();
  do {
    Bz2Decoder(path).decode(in, out, path);
  } while (!in.empty());
  return room - out.size();
}

#else

std::size_t decode_bz2(std::span<const std::byte>, std::span<std::byte>, std::string_view path) {
  refuse_zarr(path, "needs the codec bz2, which this build of tenstride lacks");
}

#endif

}  // namespace tenstride::io
