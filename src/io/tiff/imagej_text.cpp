// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/imagej_text.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/message.hpp"
#include "tenstride/base/scalar.hpp"

namespace tenstride::io {
namespace {

/// An axis of pages: its letter in ImageJ's order, the key of its size.
struct ImagejAxis {
  char letter;
  std::string_view key;
};
constexpr std::array<ImagejAxis, 3> imagej_axes{{{'t', "frames"}, {'z', "slices"}, {'c', "channels"}}};

std::string name_in_source(const ResultOrigin& result, std::size_t axis) {
  return axis < result.source.axis_names.size() ? result.source.axis_names[axis] : std::string();
}

/// `images=6`, `channels=2`, …; nothing where the axes before rows and columns are none of ImageJ's.
std::optional<std::string> page_lines(const ResultOrigin& result, const PlaneAxes& plane) {
  std::array<Index, imagej_axes.size()> sizes{1, 1, 1};
  Index images = 1;
  std::size_t next = 0;
  const std::size_t rows = *result.place_of(plane.rows.axis);
  for (std::size_t d = 0; d < rows; ++d) {
    if (!result.axes[d]) return std::nullopt;
    const std::string name = name_in_source(result, result.axes[d]->axis);
    images *= result.shape[d];
    if (name == "page" && rows == 1) continue;
    while (next < imagej_axes.size() && name != std::string_view(&imagej_axes[next].letter, 1)) ++next;
    if (next == imagej_axes.size()) return std::nullopt;
    sizes[next++] = result.shape[d];
  }
  std::string text = tenstride::detail::message("images=", images, '\n');
  for (const std::size_t number : {2U, 1U, 0U}) {
    if (sizes[number] > 1)
      text += tenstride::detail::message(imagej_axes[number].key, '=', sizes[number], '\n');
  }
  if (std::count(sizes.begin(), sizes.end(), 1) < 2) text += "hyperstack=true\n";
  return text;
}

/// Lines of a text, one by one, that speak of axes.
class ImagejLines {
 public:
  ImagejLines(ResultAttributes& attributes, const ResultOrigin& result)
      : attributes_(attributes), result_(result) {}

  /// The line of the result with its end; empty where it is left out.
  std::string moved(std::string_view line) {
    const std::string_view key = line.substr(0, line.find('='));
    constexpr std::array<std::string_view, 5> of_pages{"images", "channels", "slices", "frames",
                                                       "hyperstack"};
    if (std::find(of_pages.begin(), of_pages.end(), key) != of_pages.end()) return {};
    if (key == "spacing") return rescaled(line, "z", 1);
    if (key == "finterval") return rescaled(line, "t", 1);
    if (key == "fps") return rescaled(line, "t", -1);
    if (key == "min" || key == "max") return kept(line, change_of_elements(result_));
    if (key.size() == 7 && key.ends_with("origin")) {
      const std::optional<std::size_t> axis = axis_of(key.substr(0, 1));
      return kept(line, axis ? change_of_axis(result_, *axis) : "");
    }
    return std::string(line) + '\n';
  }

 private:
  /// Pages of which only the number is known are slices.
  [[nodiscard]] std::optional<std::size_t> axis_of(std::string_view name) const {
    const std::vector<std::string>& names = result_.source.axis_names;
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end() && name == "z") found = std::find(names.begin(), names.end(), "page");
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
  }

  std::string kept(std::string_view line, const std::string& reason) {
    if (reason.empty()) return std::string(line) + '\n';
    attributes_.tell("description " + std::string(line.substr(0, line.find('='))), reason);
    return {};
  }

  /// Times the step of the axis to the power of 1 or -1.
  std::string rescaled(std::string_view line, std::string_view name, int power) {
    const std::optional<std::size_t> axis = axis_of(name);
    if (!axis) return kept(line, "");
    const std::optional<std::size_t> place = result_.place_of(*axis);
    if (!place) return kept(line, change_of_axis(result_, *axis));
    const auto step = static_cast<double>(std::abs(result_.axes[*place]->step));
    if (step == 1) return kept(line, "");
    const std::size_t begin = line.find('=') + 1;
    const std::string text(line.substr(begin));
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str()) return kept(line, change_of_axis(result_, *axis));
    std::string digits = Scalar(power > 0 ? number * step : number / step).to_string();
    if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
    return std::string(line.substr(0, begin)) + digits + '\n';
  }

  ResultAttributes& attributes_;
  const ResultOrigin& result_;
};

}  // namespace

std::optional<std::string> moved_imagej_text(ResultAttributes& attributes, const ResultOrigin& result,
                                             const std::optional<PlaneAxes>& axes) {
  if (!axes || axes->is_transposed || name_in_source(result, axes->rows.axis) != "y") return std::nullopt;
  const std::optional<std::string> pages = page_lines(result, *axes);
  if (!pages) return std::nullopt;
  const std::string given = attributes.json["description"].get<std::string>();
  ImagejLines lines(attributes, result);
  std::string text;
  for (std::size_t begin = 0; begin < given.size();) {
    const std::size_t end = std::min(given.find('\n', begin), given.size());
    const std::string_view line = std::string_view(given).substr(begin, end - begin);
    text += lines.moved(line);
    if (begin == 0) text += *pages;
    begin = end + 1;
  }
  return text;
}

}  // namespace tenstride::io
