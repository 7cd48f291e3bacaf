// SPDX-License-Identifier: Apache-2.0
// GIF files: https://www.w3.org/Graphics/GIF/spec-gif89a.txt. As in Pillow, what no frame covers is
// transparent where any frame has a transparent colour, and otherwise of the background colour.
#ifdef TENSTRIDE_HAS_GIF
#include <gif_lib.h>
#endif

#include <algorithm>
#include <cstring>

#include "base/message.hpp"
#include "io/image/absent_decoder.hpp"
#include "io/image/animation.hpp"
#include "io/image/still_pictures.hpp"

#ifdef TENSTRIDE_HAS_GIF

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// libgif over the bytes of a file, at any of its blocks.
class GifReader {
 public:
  explicit GifReader(std::span<const std::byte> file) : file_(file) {
    int error = 0;
    gif_ = DGifOpen(this, read, &error);
    if (gif_ == nullptr) error_ = error;
  }
  ~GifReader() {
    if (gif_ != nullptr) DGifCloseFile(gif_, nullptr);
  }
  GifReader(const GifReader&) = delete;
  GifReader& operator=(const GifReader&) = delete;

  [[nodiscard]] GifFileType* get() const { return gif_; }
  [[nodiscard]] std::size_t at() const { return at_; }
  void seek(std::size_t place) { at_ = place; }
  [[nodiscard]] bool is_at_end() const { return at_ == file_.size(); }

  /// What libgif found wrong.
  [[nodiscard]] std::string failure() const {
    const char* text = GifErrorString(gif_ == nullptr ? error_ : gif_->Error);
    return message("must be a GIF image that can be read: ", text == nullptr ? "it is damaged" : text);
  }

 private:
  static int read(GifFileType* gif, GifByteType* to, int count) {
    auto& self = *static_cast<GifReader*>(gif->UserData);
    const std::size_t nbytes = std::min(static_cast<std::size_t>(count), self.file_.size() - self.at_);
    std::memcpy(to, self.file_.data() + self.at_, nbytes);
    self.at_ += nbytes;
    return static_cast<int>(nbytes);
  }

  std::span<const std::byte> file_;
  std::size_t at_ = 0;
  GifFileType* gif_ = nullptr;
  int error_ = 0;
};

class GifFile final : public Animation {
 public:
  explicit GifFile(std::span<const std::byte> file) : reader_(file) {
    info_ = {.format = ImageFormat::gif, .channels = 3};
    if (reader_.get() == nullptr) {
      damage_ = reader_.failure();
      return;
    }
    info_.height = reader_.get()->SHeight;
    info_.width = reader_.get()->SWidth;
    find_frames();
    const bool has_alpha =
        std::any_of(frames_.begin(), frames_.end(), [](const Frame& frame) { return frame.is_blended; });
    if (has_alpha) info_.channels = 4;
    const int background = reader_.get()->SBackGroundColor;
    write_pixel(reader_.get()->SColorMap, static_cast<GifPixelType>(background), has_alpha,
                empty_pixel_.data());
  }

 protected:
  std::string decode_frame(const Frame& frame, std::byte* rows) override {
    GifFileType* const gif = reader_.get();
    const Source& source = sources_[frame.source];
    reader_.seek(source.begin);
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(gif, &type) == GIF_ERROR || DGifGetImageDesc(gif) == GIF_ERROR) {
      return reader_.failure();
    }
    const ColorMapObject* const colours =
        gif->Image.ColorMap != nullptr ? gif->Image.ColorMap : gif->SColorMap;
    std::vector<GifPixelType> indices(static_cast<std::size_t>(source.width));
    const auto decode_row = [&](Index y) {
      if (DGifGetLine(gif, indices.data(), static_cast<int>(source.width)) == GIF_ERROR) return false;
      if (y >= frame.height) return true;
      std::byte* to = rows + y * frame.width * info_.channels;
      for (Index x = 0; x < frame.width; ++x, to += info_.channels) {
        const GifPixelType index = indices[static_cast<std::size_t>(x)];
        write_pixel(colours, index, index == source.transparent, to);
      }
      return true;
    };
    // Each pass of an interlaced picture has the rows between those of the ones before.
    struct Pass {
      Index first, step;
    };
    static constexpr Pass interlaced[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}}, whole[] = {{0, 1}};
    const std::span<const Pass> passes =
        gif->Image.Interlace ? std::span<const Pass>(interlaced) : std::span<const Pass>(whole);
    for (const auto& [first, step] : passes) {
      for (Index y = first; y < source.height; y += step) {
        if (!decode_row(y)) return reader_.failure();
      }
    }
    return {};
  }

 private:
  /// Where a frame stands in the file.
  struct Source {
    std::size_t begin = 0;
    /// Its size there; of the frame the part that lies on the canvas counts.
    Index height = 0;
    Index width = 0;
    /// The index that is no colour; -1: all are.
    int transparent = NO_TRANSPARENT_COLOR;
  };

  /// `colours`: null where the file has none, and then the indices are gray, as in other programs.
  void write_pixel(const ColorMapObject* colours, GifPixelType index, bool is_transparent,
                   std::byte* to) const {
    if (is_transparent) {
      std::fill_n(to, info_.channels, std::byte{0});
      return;
    }
    GifColorType colour{0, 0, 0};
    if (colours == nullptr) {
      colour = {index, index, index};
    } else if (index < colours->ColorCount) {
      colour = colours->Colors[index];
    }
    to[0] = std::byte{colour.Red};
    to[1] = std::byte{colour.Green};
    to[2] = std::byte{colour.Blue};
    if (info_.channels == 4) to[3] = std::byte{255};
  }

  void find_frames() {
    GifFileType* const gif = reader_.get();
    GraphicsControlBlock control{0, false, 0, NO_TRANSPARENT_COLOR};
    // A file may end without its last byte, which says that it ends.
    while (damage_.empty() && (frames_.empty() || !reader_.is_at_end())) {
      const std::size_t begin = reader_.at();
      GifRecordType type = UNDEFINED_RECORD_TYPE;
      if (DGifGetRecordType(gif, &type) == GIF_ERROR) {
        damage_ = reader_.failure();
      } else if (type == IMAGE_DESC_RECORD_TYPE) {
        add_frame(begin, control);
        control = {0, false, 0, NO_TRANSPARENT_COLOR};
      } else if (type == EXTENSION_RECORD_TYPE) {
        read_extension(control);
      } else if (type == TERMINATE_RECORD_TYPE) {
        break;
      }
    }
    if (frames_.empty() && damage_.empty()) damage_ = "must be a GIF image with a picture, it has none";
  }

  void add_frame(std::size_t begin, const GraphicsControlBlock& control) {
    GifFileType* const gif = reader_.get();
    if (frames_.size() == max_frames)
      damage_ = message("has more than ", max_frames, " frames, which must be all");
    if (DGifGetImageDesc(gif) == GIF_ERROR) damage_ = reader_.failure();
    if (!damage_.empty()) return;
    const GifImageDesc& image = gif->Image;
    Frame frame{.top = image.Top, .left = image.Left, .height = image.Height, .width = image.Width};
    if (frame.height == 0 || frame.width == 0) {
      damage_ = message("has a frame of ", frame.height, " x ", frame.width, " pixels, which must be some");
      return;
    }
    if (frames_.empty()) {
      // As browsers do, for files whose canvas is said to be empty or smaller.
      info_.height = std::max(info_.height, frame.top + frame.height);
      info_.width = std::max(info_.width, frame.left + frame.width);
      damage_ = too_many_pixels(info_.height, info_.width);
    } else {
      damage_ = too_many_pixels(frame.height, frame.width);
    }
    int bits = 0;
    GifByteType* codes = nullptr;
    bool is_read = DGifGetCode(gif, &bits, &codes) == GIF_OK;
    while (is_read && codes != nullptr) is_read = DGifGetCodeNext(gif, &codes) == GIF_OK;
    if (!is_read && damage_.empty()) damage_ = reader_.failure();
    if (!damage_.empty()) return;
    frame.end = control.DisposalMode == DISPOSE_BACKGROUND ? FrameEnd::clear
                : control.DisposalMode == DISPOSE_PREVIOUS ? FrameEnd::restore
                                                           : FrameEnd::keep;
    frame.is_blended = control.TransparentColor != NO_TRANSPARENT_COLOR;
    frame.source = sources_.size();
    sources_.push_back({begin, frame.height, frame.width, control.TransparentColor});
    frame.height = std::clamp(info_.height - frame.top, Index{0}, frame.height);
    frame.width = std::clamp(info_.width - frame.left, Index{0}, frame.width);
    frames_.push_back(frame);
  }

  void read_extension(GraphicsControlBlock& control) {
    GifFileType* const gif = reader_.get();
    int kind = 0;
    GifByteType* data = nullptr;
    bool is_read = DGifGetExtension(gif, &kind, &data) == GIF_OK;
    if (is_read && kind == GRAPHICS_EXT_FUNC_CODE && data != nullptr) {
      DGifExtensionToGCB(data[0], data + 1, &control);
    }
    while (is_read && data != nullptr) is_read = DGifGetExtensionNext(gif, &data) == GIF_OK;
    if (!is_read) damage_ = reader_.failure();
  }

  static constexpr std::size_t max_frames = 65536;

  GifReader reader_;
  std::vector<Source> sources_;
};

}  // namespace

std::unique_ptr<ImageFile> open_gif(std::span<const std::byte> file) {
  return std::make_unique<GifFile>(file);
}

}  // namespace tenstride::io

#else

namespace tenstride::io {

std::unique_ptr<ImageFile> open_gif(std::span<const std::byte> file) {
  return std::make_unique<StillPictures>(file, [] { return absent_decoder("GIF", "giflib"); });
}

}  // namespace tenstride::io
#endif
