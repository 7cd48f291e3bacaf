// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "picture/shown.hpp"

/// The colours of elements: pale enough for dark figures on them, told apart also by people who do not see
/// red from green (the hues are those of Okabe and Ito, "Color Universal Design", 2008, made lighter; the
/// scale grows darker from yellow over green to blue, after ColorBrewer's YlGnBu). Figures in the cells say
/// the same.
namespace tenstride::detail {

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};
/// "#a0b1c2".
std::string to_hex(Rgb color);

/// One of eight hues, from pale (0) to full (1).
Rgb hue_color(std::size_t hue, double depth);
/// A colour between the beginning (0) and the end (1) of a scale.
Rgb scale_color(double place);

/// Gives each element of a picture its colour. Refers to the picture.
class Colors {
 public:
  Colors(const Picture& picture, const PictureOptions& options);
  [[nodiscard]] Rgb of(Root root) const;

 private:
  struct Legend {
    /// The layout whose axis gives the hue; nothing where the place in the storage decides.
    std::optional<Layout> layout;
    Index item_bytes = 1;
    std::size_t axis = 0;
    Index nbytes = 1;
    std::size_t first_hue = 0;
  };
  const Picture& picture_;
  std::vector<Legend> legends_;
};

}  // namespace tenstride::detail
