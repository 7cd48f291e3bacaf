// SPDX-License-Identifier: Apache-2.0
// By igzip of ISA-L.
#include "io/stream/gzip_stream.hpp"

#include <algorithm>
#include <vector>

#include "base/message.hpp"
#include "tenstride/base/error.hpp"

#ifdef TENSTRIDE_HAS_ISAL
#include <isa-l/igzip_lib.h>
#endif

namespace tenstride::io {

#ifdef TENSTRIDE_HAS_ISAL

struct GzipStream::State {
  Take take;
  isal_zstream deflater{};
  std::vector<std::uint8_t> level_memory = std::vector<std::uint8_t>(ISAL_DEF_LVL3_DEFAULT);
  std::vector<std::byte> out = std::vector<std::byte>(std::size_t{1} << 20);

  /// Compresses all that was given, to the end of the file where that is asked for.
  void run(std::span<const std::byte> bytes, bool is_end) {
    constexpr std::size_t step = std::size_t{1} << 30;  // the deflater counts in 32 bits
    do {
      const auto part = bytes.first(std::min(bytes.size(), step));
      bytes = bytes.subspan(part.size());
      deflater.next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(part.data()));
      deflater.avail_in = static_cast<std::uint32_t>(part.size());
      deflater.end_of_stream = is_end && bytes.empty() ? 1 : 0;
      do {
        deflater.next_out = reinterpret_cast<std::uint8_t*>(out.data());
        deflater.avail_out = static_cast<std::uint32_t>(out.size());
        isal_deflate(&deflater);
        const std::size_t made = out.size() - deflater.avail_out;
        if (made > 0) take(std::span(out).first(made));
      } while (deflater.avail_out == 0);
    } while (!bytes.empty());
  }
};

GzipStream::GzipStream(const std::string& /*path*/, std::string_view /*operation*/, Take take)
    : state_(std::make_unique<State>()) {
  state_->take = std::move(take);
  isal_deflate_init(&state_->deflater);
  state_->deflater.gzip_flag = IGZIP_GZIP;
  state_->deflater.level = 3;  // the last
  state_->deflater.level_buf = state_->level_memory.data();
  state_->deflater.level_buf_size = static_cast<std::uint32_t>(state_->level_memory.size());
}

void GzipStream::write(std::span<const std::byte> bytes) {
  if (!bytes.empty()) state_->run(bytes, false);
}

void GzipStream::end() {
  state_->run({}, true);
}

#else

struct GzipStream::State {};

GzipStream::GzipStream(const std::string& path, std::string_view operation, Take /*take*/) {
  throw FileError(tenstride::detail::message(operation, ": \"", path,
                                             "\" must not be a gzip file: this build has nothing that "
                                             "compresses (it was made without ISA-L)"),
                  path);
}

void GzipStream::write(std::span<const std::byte> /*bytes*/) {}
void GzipStream::end() {}

#endif

GzipStream::~GzipStream() = default;

}  // namespace tenstride::io
