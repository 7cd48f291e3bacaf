// SPDX-License-Identifier: Apache-2.0
// By igzip of ISA-L.
#include "io/stream/inflate_stream.hpp"

#include "base/message.hpp"
#include "io/input.hpp"

#ifdef TENSTRIDE_HAS_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#endif

namespace tenstride::io {

#ifdef TENSTRIDE_HAS_ISAL

struct InflateStream::State {
  std::string path;
  std::string operation;
  CompressedStream place;
  bool is_gzip_file = false;
  Storage file;
  /// How many of the compressed bytes were read.
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  std::uint32_t crc = 0;
  bool is_at_end = false;
  inflate_state inflater{};

  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw FileError(tenstride::detail::message(operation, ": \"", path, "\" ", pieces...), path);
  }

  void begin_member() {
    isal_inflate_init(&inflater);
    inflater.crc_flag = is_gzip_file ? ISAL_GZIP : ISAL_DEFLATE;
  }

  /// The members of a gzip file follow each other; zeros may follow the last.
  [[nodiscard]] bool has_next_member() {
    const std::span<const std::byte> left = bytes_of(file).subspan(place.begin + read, place.nbytes - read);
    if (is_gzip(left)) return true;
    for (const std::byte byte : left) {
      if (byte != std::byte{0})
        refuse("has bytes behind its gzip stream, which must be another one or zeros");
    }
    return false;
  }

  void end() {
    is_at_end = true;
    if (place.content_nbytes && *place.content_nbytes != written) {
      refuse("has a compressed part of ", written, " bytes, which must be ", *place.content_nbytes,
             is_gzip_file ? " as its header says" : " as its directory says");
    }
    if (place.crc && *place.crc != crc)
      refuse("has a damaged compressed part: its CRC-32 must be that of the directory");
  }

  std::size_t fill(std::span<std::byte> bytes) {
    std::size_t filled = 0;
    while (filled < bytes.size() && !is_at_end) {
      constexpr std::uint64_t step = std::uint64_t{1} << 30;  // the inflater counts in 32 bits
      const auto taken = static_cast<std::uint32_t>(std::min<std::uint64_t>(place.nbytes - read, step));
      const auto room = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes.size() - filled, step));
      inflater.next_in =
          reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(file.data() + place.begin + read));
      inflater.avail_in = taken;
      inflater.next_out = reinterpret_cast<std::uint8_t*>(bytes.data() + filled);
      inflater.avail_out = room;
      const int status = isal_inflate(&inflater);
      const std::uint32_t made = room - inflater.avail_out;
      read += taken - inflater.avail_in;
      if (place.crc)
        crc = crc32_gzip_refl(crc, reinterpret_cast<const std::uint8_t*>(bytes.data() + filled), made);
      filled += made;
      written += made;
      if (status == ISAL_INCORRECT_CHECKSUM)
        refuse("has a damaged gzip stream: its CRC-32 must be that of its content");
      if (status < 0)
        refuse("has a damaged compressed part, which must be a deflate stream (byte ", place.begin + read,
               ")");
      if (inflater.block_state == ISAL_BLOCK_FINISH) {
        if (is_gzip_file && has_next_member()) {
          begin_member();
        } else {
          end();
        }
      } else if (made == 0 && inflater.avail_in == 0 && read == place.nbytes) {
        refuse("has a compressed part that ends early, after ", place.nbytes, " bytes");
      }
    }
    return filled;
  }
};

InflateStream::InflateStream(const std::string& path, const CompressedStream& place, std::string_view codec,
                             std::string_view operation)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.path = path;
  state.operation = operation;
  state.place = place;
  state.is_gzip_file = codec == "gzip";
  state.file = map_input(path, operation);
  if (place.begin > state.file.nbytes() || place.nbytes > state.file.nbytes() - place.begin) {
    state.refuse("has a compressed part from byte ", place.begin, " on of ", place.nbytes,
                 " bytes, which must lie in the file of ", state.file.nbytes());
  }
  state.begin_member();
}

std::size_t InflateStream::read(std::span<std::byte> bytes) {
  return state_->fill(bytes);
}

#else

struct InflateStream::State {};

InflateStream::InflateStream(const std::string& path, const CompressedStream& /*place*/,
                             std::string_view codec, std::string_view operation) {
  throw FileError(tenstride::detail::message(operation, ": \"", path, "\" must not be compressed by ", codec,
                                             ": this build has no inflater (it was made without ISA-L)"),
                  path);
}

std::size_t InflateStream::read(std::span<std::byte> /*bytes*/) {
  return 0;
}

#endif

InflateStream::~InflateStream() = default;

}  // namespace tenstride::io
