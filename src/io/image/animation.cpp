// SPDX-License-Identifier: Apache-2.0
#include "io/image/animation.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "tenstride/base/dtype.hpp"

namespace tenstride::io {
namespace {

/// A pixel over another one, neither multiplied by its alpha, as the PNG specification has it, to the nearest
/// number: "Alpha channel processing", https://www.w3.org/TR/png-3/#13Alpha-channel-processing.
template <typename Element>
void blend_pixel(Element* below, const Element* above, std::size_t channels) {
  constexpr std::uint64_t whole = std::numeric_limits<Element>::max();
  const std::size_t alpha = channels - 1;
  if (above[alpha] == 0) return;
  if (above[alpha] == whole || below[alpha] == 0) {
    std::copy_n(above, channels, below);
    return;
  }
  const std::uint64_t of_above = above[alpha] * whole;
  const std::uint64_t of_below = (whole - above[alpha]) * below[alpha];
  const std::uint64_t sum = of_above + of_below;
  for (std::size_t c = 0; c < alpha; ++c) {
    below[c] = static_cast<Element>((above[c] * of_above + below[c] * of_below + sum / 2) / sum);
  }
  below[alpha] = static_cast<Element>((sum + whole / 2) / whole);
}

template <typename Element>
void blend_row(std::byte* below, const std::byte* above, std::size_t pixels, std::size_t channels) {
  auto* to = reinterpret_cast<Element*>(below);
  const auto* from = reinterpret_cast<const Element*>(above);
  for (std::size_t x = 0; x < pixels; ++x) blend_pixel(to + x * channels, from + x * channels, channels);
}

/// The rows of a canvas, and the part of a frame that lies on it.
class Canvas {
 public:
  /// `empty`: a pixel where nothing was painted.
  Canvas(const ImageInfo& info, std::byte* rows, const std::byte* empty)
      : info_(info),
        rows_(rows),
        empty_(empty),
        pixel_nbytes_(info.channels * static_cast<Index>(item_size(info.dtype))) {}

  void paint(const Frame& frame, const std::byte* rows) const {
    const bool has_alpha = info_.channels % 2 == 0;
    const auto count = static_cast<std::size_t>(frame.width);
    const auto channels = static_cast<std::size_t>(info_.channels);
    for_rows(frame, [&](std::byte* canvas, Index y) {
      const std::byte* row = rows + y * frame.width * pixel_nbytes_;
      if (!frame.is_blended || !has_alpha) {
        std::memcpy(canvas, row, count * static_cast<std::size_t>(pixel_nbytes_));
      } else if (info_.dtype == DType::uint16) {
        blend_row<std::uint16_t>(canvas, row, count, channels);
      } else {
        blend_row<std::uint8_t>(canvas, row, count, channels);
      }
    });
  }

  void clear(const Frame& frame) const {
    for_rows(frame, [&](std::byte* canvas, Index /*y*/) {
      for (Index x = 0; x < frame.width; ++x) std::copy_n(empty_, pixel_nbytes_, canvas + x * pixel_nbytes_);
    });
  }

 private:
  /// visit(where the row begins on the canvas, its number in the frame).
  template <typename Visit>
  void for_rows(const Frame& frame, const Visit& visit) const {
    for (Index y = 0; y < frame.height; ++y) {
      visit(rows_ + ((frame.top + y) * info_.width + frame.left) * pixel_nbytes_, y);
    }
  }

  const ImageInfo& info_;
  std::byte* rows_;
  const std::byte* empty_;
  Index pixel_nbytes_;
};

}  // namespace

bool Animation::covers_canvas(const Frame& frame) const {
  return frame.top == 0 && frame.left == 0 && frame.height == info_.height && frame.width == info_.width;
}

bool Animation::hides_all(std::size_t i, std::size_t number) const {
  const Frame& frame = frames_[i];
  const bool is_shown = i == number || frame.end == FrameEnd::keep;
  return covers_canvas(frame) && (is_shown ? !frame.is_blended : frame.end == FrameEnd::clear);
}

ListedImage Animation::picture(std::size_t number) {
  return number < frames_.size() ? ListedImage{info_, {}} : ListedImage{info_, damage_};
}

std::string Animation::decode(std::size_t number, std::byte* rows) {
  const Canvas canvas(info_, rows, empty_pixel_.data());
  std::size_t first = number;
  while (first > 0 && !hides_all(first, number)) --first;
  if (!hides_all(first, number)) canvas.clear({.height = info_.height, .width = info_.width});
  const std::size_t pixel_nbytes = static_cast<std::size_t>(info_.channels) * item_size(info_.dtype);
  std::vector<std::byte> pixels;
  for (std::size_t i = first; i <= number; ++i) {
    const Frame& frame = frames_[i];
    const FrameEnd end = i == number ? FrameEnd::keep : frame.end;
    if (end == FrameEnd::clear) canvas.clear(frame);
    const bool is_seen = end == FrameEnd::keep && frame.height > 0 && frame.width > 0;
    if (!is_seen) continue;
    const bool is_whole = covers_canvas(frame) && !frame.is_blended;
    if (!is_whole) pixels.resize(static_cast<std::size_t>(frame.height * frame.width) * pixel_nbytes);
    std::byte* const to = is_whole ? rows : pixels.data();
    std::string wrong = decode_frame(frame, to);
    if (!wrong.empty()) return wrong;
    if (!is_whole) canvas.paint(frame, to);
  }
  return {};
}

}  // namespace tenstride::io
