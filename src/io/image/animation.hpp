// SPDX-License-Identifier: Apache-2.0
// Pictures that are painted one upon the other: the frames of GIF and of animated PNG.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "io/image/codec.hpp"

namespace tenstride::io {

/// What becomes of the place of a frame before the next one is painted.
enum class FrameEnd : unsigned char { keep, clear, restore };

/// A frame, and where it is painted; it lies on the canvas.
struct Frame {
  Index top = 0;
  Index left = 0;
  Index height = 0;
  Index width = 0;
  FrameEnd end = FrameEnd::keep;
  /// Whether what is below shows through where the frame is transparent; otherwise it is replaced.
  bool is_blended = false;
  /// Where the file has it, in the words of the format.
  std::size_t source = 0;
};

/// The pictures that a viewer of the file shows, each as large as the canvas.
class Animation : public ImageFile {
 public:
  /// The frames that can be read, and what is wrong with the file behind them.
  [[nodiscard]] std::size_t size() const override { return frames_.size() + (damage_.empty() ? 0 : 1); }
  ListedImage picture(std::size_t number) override;
  std::string decode(std::size_t number, std::byte* rows) override;

 protected:
  /// Writes frame.height rows of frame.width pixels, in the channels and the type of the canvas. Returns what
  /// is wrong, or nothing ("").
  virtual std::string decode_frame(const Frame& frame, std::byte* rows) = 0;

  /// The canvas.
  ImageInfo info_{};
  /// A pixel of it where nothing was painted, in as many bytes as it has.
  std::array<std::byte, 8> empty_pixel_{};
  std::vector<Frame> frames_{};
  std::string damage_{};

 private:
  [[nodiscard]] bool covers_canvas(const Frame& frame) const;
  /// Whether nothing before a frame is seen when `number` is shown.
  [[nodiscard]] bool hides_all(std::size_t frame, std::size_t number) const;
};

}  // namespace tenstride::io
