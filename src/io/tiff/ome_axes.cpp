// SPDX-License-Identifier: Apache-2.0
// OME-XML: https://docs.openmicroscopy.org/ome-model/latest/ome-tiff/specification.html. Only the attributes
// of two elements are read, without a parser of XML.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "io/tiff/page_axes.hpp"

namespace tenstride::io {
namespace {

/// The attributes of a tag as they stand in the text: ` SizeX="64" SizeY="32"`.
struct XmlTag {
  std::string_view attributes;
  /// Where the text goes on behind it.
  std::size_t end = 0;

  [[nodiscard]] std::string_view value(std::string_view name) const {
    for (std::size_t at = attributes.find(name); at != std::string_view::npos;
         at = attributes.find(name, at + 1)) {
      const std::size_t quote = at + name.size() + 1;
      const bool is_whole = at > 0 && (attributes[at - 1] == ' ' || attributes[at - 1] == '\n');
      if (!is_whole || quote >= attributes.size() || attributes[quote - 1] != '=') continue;
      const std::size_t close = attributes.find(attributes[quote], quote + 1);
      if (close == std::string_view::npos) return {};
      return attributes.substr(quote + 1, close - quote - 1);
    }
    return {};
  }
  [[nodiscard]] std::optional<Index> number(std::string_view name) const {
    const std::string_view text = value(name);
    Index result = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), result);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || result < 0)
      return std::nullopt;
    return result;
  }
};

/// The first start tag of the element from `begin` on, with or without a prefix: <Pixels …> or <ome:Pixels
/// …>.
std::optional<XmlTag> find_tag(std::string_view xml, std::string_view element, std::size_t begin) {
  for (std::size_t at = xml.find('<', begin); at != std::string_view::npos; at = xml.find('<', at + 1)) {
    // No longer name is looked at, so that a text of nothing but '<' is searched in linear time.
    constexpr std::size_t max_name = 64;
    const std::size_t length = xml.substr(at + 1, max_name).find_first_of(" \t\r\n/>");
    if (length == std::string_view::npos) continue;
    const std::size_t name_end = at + 1 + length;
    std::string_view name = xml.substr(at + 1, length);
    name.remove_prefix(std::min(name.find(':') + 1, name.size()));
    if (name != element) continue;
    const std::size_t end = xml.find('>', name_end);
    if (end == std::string_view::npos) return std::nullopt;
    return XmlTag{xml.substr(name_end, end - name_end), end + 1};
  }
  return std::nullopt;
}

/// The axes of pages as OME-XML has them, from the fastest to the slowest.
struct OmePages {
  std::array<char, 3> letters{};
  std::array<Index, 3> sizes{};

  /// The page of the plane that a TiffData names.
  [[nodiscard]] std::optional<Index> page(const XmlTag& data) const {
    Index result = 0;
    Index step = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const Index first = data.number(std::string("First") + letters[d]).value_or(0);
      if (first >= sizes[d]) return std::nullopt;
      result += first * step;
      step *= sizes[d];
    }
    return result;
  }
};

std::optional<OmePages> read_pages(const XmlTag& pixels, const TiffFormat& format) {
  const std::string_view order = pixels.value("DimensionOrder");
  if (order.size() != 5 || !order.starts_with("XY")) return std::nullopt;
  OmePages result;
  std::optional<Index> count = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const char letter = order[d + 2];
    const bool is_new = order.substr(2).find(letter) == d;
    if (!is_new || std::string_view("ZCT").find(letter) == std::string_view::npos) return std::nullopt;
    Index size = pixels.number(std::string("Size") + letter).value_or(0);
    // Channels are counted with the samples of each pixel.
    if (letter == 'C' && size % format.samples == 0) size /= format.samples;
    count = count ? try_multiply(*count, size) : count;
    if (size < 1 || !count) return std::nullopt;
    result.letters[d] = letter;
    result.sizes[d] = size;
  }
  return result;
}

}  // namespace

namespace detail {

TiffPageAxes read_ome_axes(std::string_view description, const TiffFormat& format) {
  const std::optional<XmlTag> pixels = find_tag(description, "Pixels", 0);
  if (!pixels || find_tag(description, "Pixels", pixels->end)) return {};
  if (pixels->number("SizeX") != format.width || pixels->number("SizeY") != format.height) return {};
  const std::optional<OmePages> pages = read_pages(*pixels, format);
  if (!pages) return {};
  // Planes may stand in any order; only that of DimensionOrder is that of the pages.
  for (std::optional<XmlTag> data = find_tag(description, "TiffData", pixels->end); data;
       data = find_tag(description, "TiffData", data->end)) {
    if (data->number("IFD").value_or(0) != pages->page(*data)) return {};
  }
  TiffPageAxes result;
  result.count = pages->sizes[0] * pages->sizes[1] * pages->sizes[2];
  for (std::size_t d = 3; d-- > 0;) {
    if (pages->sizes[d] == 1) continue;
    result.sizes.push_back(pages->sizes[d]);
    result.names.emplace_back(1, static_cast<char>(pages->letters[d] - 'A' + 'a'));
  }
  return result;
}

}  // namespace detail
}  // namespace tenstride::io
