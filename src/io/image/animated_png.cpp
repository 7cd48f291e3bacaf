// SPDX-License-Identifier: Apache-2.0
// PNG files, which may be animated: https://www.w3.org/TR/png-3/#apng-frame-based-animation. The first
// picture is the one that programs without animations show; where it is no frame, the frames are those behind
// it.
#include <zlib.h>

#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "base/message.hpp"
#include "io/image/animation.hpp"
#include "io/stream/big_endian.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

constexpr std::size_t png_signature_nbytes = 8;

Index png_number(std::span<const std::byte> bytes, std::size_t at, std::size_t width = 4) {
  return static_cast<Index>(big_endian(bytes.subspan(at, width)));
}

struct PngChunk {
  std::string_view name;
  std::span<const std::byte> data;
  /// With its length, name and CRC.
  std::span<const std::byte> whole;
  std::size_t begin = 0;

  [[nodiscard]] bool has_right_crc() const {
    const auto* bytes = reinterpret_cast<const Bytef*>(whole.data() + 4);
    const uLong crc = crc32(0, bytes, static_cast<uInt>(data.size() + 4));
    return crc == static_cast<uLong>(png_number(whole, whole.size() - 4));
  }
};

/// The chunks from a place in a file on.
class PngChunks {
 public:
  explicit PngChunks(std::span<const std::byte> file, std::size_t begin = png_signature_nbytes)
      : file_(file), at_(begin) {}

  /// Nothing behind the last one, and where one does not lie within the file.
  std::optional<PngChunk> next() {
    constexpr std::size_t around = 12;
    if (at_ > file_.size() || file_.size() - at_ < around) return std::nullopt;
    const auto nbytes = static_cast<std::size_t>(png_number(file_, at_));
    if (nbytes > file_.size() - at_ - around) return std::nullopt;
    const std::string_view name(reinterpret_cast<const char*>(file_.data() + at_ + 4), 4);
    const PngChunk result{name, file_.subspan(at_ + 8, nbytes), file_.subspan(at_, nbytes + around), at_};
    at_ += nbytes + around;
    return result;
  }

 private:
  std::span<const std::byte> file_;
  std::size_t at_;
};

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void append_number(std::vector<std::byte>& to, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<std::byte>(number >> shift & 255U));
}

void append_chunk(std::vector<std::byte>& to, std::string_view name, std::span<const std::byte> data) {
  append_number(to, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = to.size();
  append(to, std::as_bytes(std::span(name)));
  append(to, data);
  const auto* bytes = reinterpret_cast<const Bytef*>(to.data() + begin);
  append_number(to, static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(data.size() + 4))));
}

class PngFile final : public Animation {
 public:
  explicit PngFile(std::span<const std::byte> file) : file_(file) {
    begun_ = make_png_decoder();
    damage_ = begun_->begin(file);
    if (!damage_.empty()) return;
    info_ = begun_->info();
    // As long as it is no frame it is taken away before them.
    frames_.push_back({.height = info_.height, .width = info_.width, .end = FrameEnd::clear, .source = 0});
    find_frames();
  }

 protected:
  std::string decode_frame(const Frame& frame, std::byte* rows) override {
    if (frame.source == 0 && begun_ != nullptr) return std::exchange(begun_, nullptr)->decode(rows);
    const std::vector<std::byte> own = frame.source == 0 ? std::vector<std::byte>() : file_of(frame);
    const std::unique_ptr<ImageDecoder> decoder = make_png_decoder();
    std::string wrong = decoder->begin(frame.source == 0 ? file_ : own);
    return wrong.empty() ? decoder->decode(rows) : wrong;
  }

 private:
  /// What was met of the chunks so far.
  struct Seen {
    /// Frames by the head of the animation.
    Index announced = 0;
    Index found = 0;
    /// The number that the next chunk of the animation must have.
    Index sequence = 0;
    bool is_behind_pixels = false;
    /// The frame that was announced last.
    std::optional<Frame> frame{};
    /// Whether pixels of it were met.
    bool has_pixels = false;
  };

  void find_frames() {
    Seen seen{.announced = announced_frames()};
    if (seen.announced == 0) return;
    PngChunks chunks(file_);
    std::optional<PngChunk> chunk;
    while (damage_.empty() && (chunk = chunks.next()) && chunk->name != "IEND") visit(*chunk, seen);
    if (!damage_.empty()) return;
    if (seen.frame && !seen.has_pixels) {
      damage_ = "must have the pixels of the last frame";
    } else if (seen.found < seen.announced) {
      damage_ = message("must have ", seen.announced, " frames, as its head says, and has ", seen.found);
    }
  }

  /// What the head says, which stands before all pixels; 0: it is no animation.
  [[nodiscard]] Index announced_frames() const {
    PngChunks chunks(file_);
    for (std::optional<PngChunk> chunk = chunks.next(); chunk && chunk->name != "IDAT";
         chunk = chunks.next()) {
      if (chunk->name == "acTL" && chunk->data.size() == 8) return png_number(chunk->data, 0);
    }
    return 0;
  }

  void visit(const PngChunk& chunk, Seen& seen) {
    const bool is_first = chunk.name == "IDAT" && !seen.is_behind_pixels;
    seen.is_behind_pixels = seen.is_behind_pixels || is_first;
    // Further frames than announced are none.
    if (seen.found == seen.announced && chunk.name == "fcTL") return;
    if (is_first && seen.frame) {
      begin_with_picture(seen);
    } else if (chunk.name == "fcTL") {
      if (is_next(chunk, seen)) read_control(chunk, seen);
    } else if (chunk.name == "fdAT" && seen.frame && is_next(chunk, seen)) {
      if (!seen.has_pixels) frames_.push_back(*seen.frame);
      seen.has_pixels = true;
    }
  }

  /// The picture that all programs show is the first frame.
  void begin_with_picture(Seen& seen) {
    const Frame& frame = *seen.frame;
    if (frame.height != info_.height || frame.width != info_.width) {
      damage_ = message("has a first frame of ", frame.height, " x ", frame.width, " pixels, which must be ",
                        info_.height, " x ", info_.width, " as the picture");
    }
    frames_.front().end = frame.end;
    seen.has_pixels = true;
  }

  bool is_next(const PngChunk& chunk, Seen& seen) {
    const bool is_frame = chunk.name == "fcTL";
    constexpr std::size_t control_nbytes = 26;
    if (is_frame ? chunk.data.size() != control_nbytes : chunk.data.size() < 4) {
      damage_ = message("has a chunk ", chunk.name, " of ", chunk.data.size(), " bytes, which must have ",
                        is_frame ? "26" : "4 at least");
    } else if (!chunk.has_right_crc()) {
      damage_ = message("has a damaged chunk ", chunk.name, ", whose CRC-32 must be that of its bytes");
    } else if (const Index number = png_number(chunk.data, 0); number != seen.sequence) {
      damage_ =
          message("has the number ", number, " in the order of its animation, which must be ", seen.sequence);
    }
    ++seen.sequence;
    return damage_.empty();
  }

  void read_control(const PngChunk& chunk, Seen& seen) {
    if (seen.frame && !seen.has_pixels) {
      damage_ = message("must have the pixels of frame ", seen.found - 1);
      return;
    }
    Frame frame{.top = png_number(chunk.data, 16),
                .left = png_number(chunk.data, 12),
                .height = png_number(chunk.data, 8),
                .width = png_number(chunk.data, 4),
                .is_blended = png_number(chunk.data, 25, 1) == 1,
                .source = chunk.begin};
    if (frame.height == 0 || frame.width == 0 || frame.top + frame.height > info_.height ||
        frame.left + frame.width > info_.width) {
      damage_ = message("has a frame of ", frame.height, " x ", frame.width, " pixels at (", frame.top, ", ",
                        frame.left, "), which must lie in the picture of ", info_.height, " x ", info_.width);
      return;
    }
    const Index end = png_number(chunk.data, 24, 1);
    frame.end = end == 1 ? FrameEnd::clear : end == 2 ? FrameEnd::restore : FrameEnd::keep;
    seen.frame = frame;
    seen.has_pixels = false;
    ++seen.found;
  }

  /// A file of its pixels alone.
  [[nodiscard]] std::vector<std::byte> file_of(const Frame& frame) const {
    std::vector<std::byte> result(file_.begin(), file_.begin() + png_signature_nbytes);
    PngChunks before(file_);
    for (std::optional<PngChunk> chunk = before.next(); chunk && chunk->name != "IDAT";
         chunk = before.next()) {
      if (chunk->name == "IHDR") {
        std::vector<std::byte> head(chunk->data.begin(), chunk->data.end());
        for (std::size_t i = 0; i < 4; ++i) {
          head[i] = static_cast<std::byte>(frame.width >> (24 - 8 * i) & 255);
          head[4 + i] = static_cast<std::byte>(frame.height >> (24 - 8 * i) & 255);
        }
        append_chunk(result, "IHDR", head);
      } else if (chunk->name == "PLTE" || chunk->name == "tRNS") {
        append(result, chunk->whole);
      }
    }
    PngChunks own(file_, frame.source);
    own.next();
    for (std::optional<PngChunk> chunk = own.next(); chunk && chunk->name != "fcTL" && chunk->name != "IEND";
         chunk = own.next()) {
      if (chunk->name == "fdAT") append_chunk(result, "IDAT", chunk->data.subspan(4));
    }
    append_chunk(result, "IEND", {});
    return result;
  }

  std::span<const std::byte> file_;
  /// The picture, whose header was read; null when it was decoded.
  std::unique_ptr<ImageDecoder> begun_;
};

}  // namespace

std::unique_ptr<ImageFile> open_png(std::span<const std::byte> file) {
  return std::make_unique<PngFile>(file);
}

}  // namespace tenstride::io
