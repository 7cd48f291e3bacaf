// SPDX-License-Identifier: Apache-2.0
// Only the attributes of three elements are read, without a parser of XML.
#include "io/tiff/ome_images.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "io/tiff/page_runs.hpp"

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
struct OmePlanes {
  std::array<char, 3> letters{};
  std::array<Index, 3> sizes{};

  /// How many; at most `max_tiff_pages`, otherwise 0.
  [[nodiscard]] Index count() const {
    std::optional<Index> result = 1;
    for (const Index size : sizes) result = result ? try_multiply(*result, size) : result;
    return result && *result <= static_cast<Index>(max_tiff_pages) ? *result : 0;
  }
  /// The plane that a TiffData begins with.
  [[nodiscard]] std::optional<Index> first(const XmlTag& data) const {
    Index result = 0;
    Index step = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const Index at = data.number(std::string("First") + letters[d]).value_or(0);
      if (at >= sizes[d]) return std::nullopt;
      result += at * step;
      step *= sizes[d];
    }
    return result;
  }
};

/// `samples` is how many channels a page has.
std::optional<OmePlanes> read_planes(const XmlTag& pixels, Index samples) {
  const std::string_view order = pixels.value("DimensionOrder");
  if (order.size() != 5 || !order.starts_with("XY")) return std::nullopt;
  OmePlanes result;
  for (std::size_t d = 0; d < 3; ++d) {
    const char letter = order[d + 2];
    const bool is_new = order.substr(2).find(letter) == d;
    if (!is_new || std::string_view("ZCT").find(letter) == std::string_view::npos) return std::nullopt;
    Index size = pixels.number(std::string("Size") + letter).value_or(0);
    // Channels are counted with the samples of each pixel.
    if (letter == 'C' && size % samples == 0) size /= samples;
    if (size < 1) return std::nullopt;
    result.letters[d] = letter;
    result.sizes[d] = size;
  }
  if (result.count() == 0) return std::nullopt;
  return result;
}

class ImageReader {
 public:
  ImageReader(std::string_view xml, std::string_view file, const FormatOfPlane& format_of)
      : xml_(xml), file_(file), format_of_(format_of) {
    if (const std::optional<XmlTag> root = find_tag(xml, "OME", 0)) uuid_ = root->value("UUID");
  }

  std::vector<OmeImage> images() {
    std::vector<OmeImage> result;
    std::optional<XmlTag> pixels = find_tag(xml_, "Pixels", 0);
    while (pixels && planes_read_ < max_planes_read) {
      const std::optional<XmlTag> next = find_tag(xml_, "Pixels", pixels->end);
      const std::string_view text = xml_.substr(0, next ? next->end : xml_.size());
      std::optional<OmeImage> image = read_image(*pixels, text, Names::of_files);
      // A file that got another name since.
      if (!image) image = read_image(*pixels, text, Names::ignored);
      if (image) result.push_back(*std::move(image));
      pixels = next;
    }
    return result;
  }

 private:
  enum class Names : unsigned char { of_files, ignored };

  /// Of the text from `pixels` to its end.
  std::optional<OmeImage> read_image(const XmlTag& pixels, std::string_view text, Names names) {
    std::optional<XmlTag> data = find_tag(text, "TiffData", pixels.end);
    if (!data) return std::nullopt;
    std::optional<XmlTag> next = find_tag(text, "TiffData", data->end);
    const TiffFormat* const format = format_of_(first_plane(*data, next, text, names));
    if (format == nullptr || pixels.number("SizeX") != format->width ||
        pixels.number("SizeY") != format->height) {
      return std::nullopt;
    }
    const std::optional<OmePlanes> planes = read_planes(pixels, format->samples);
    if (!planes) return std::nullopt;
    const Index count = planes->count();
    planes_read_ += static_cast<std::uint64_t>(count);
    if (planes_read_ > max_planes_read) return std::nullopt;
    constexpr std::uint64_t none = max_tiff_pages;
    OmeImage image;
    image.planes.assign(static_cast<std::size_t>(count), {{}, none});
    for (; data; data = next) {
      next = find_tag(text, "TiffData", data->end);
      const OmePlane plane = first_plane(*data, next, text, names);
      const std::optional<Index> first = planes->first(*data);
      if (!first) return std::nullopt;
      Index length = data->number("NumPlanes").value_or(data->value("IFD").empty() ? count : 1);
      length = std::min(data->number("PlaneCount").value_or(length), count - *first);
      planes_read_ += static_cast<std::uint64_t>(length);
      if (planes_read_ > max_planes_read) return std::nullopt;
      for (Index i = 0; i < length; ++i) {
        image.planes[static_cast<std::size_t>(*first + i)] = {plane.file,
                                                              plane.page + static_cast<std::uint64_t>(i)};
      }
    }
    const bool is_whole = std::all_of(image.planes.begin(), image.planes.end(), [&](const OmePlane& plane) {
      return plane.page < none && format_of_(plane) != nullptr;
    });
    if (!is_whole) return std::nullopt;
    image.axes.count = count;
    for (std::size_t d = 3; d-- > 0;) {
      if (planes->sizes[d] == 1) continue;
      image.axes.sizes.push_back(planes->sizes[d]);
      image.axes.names.emplace_back(1, static_cast<char>(planes->letters[d] - 'A' + 'a'));
    }
    return image;
  }

  /// The page that a TiffData begins with; `next` is the one behind it.
  [[nodiscard]] OmePlane first_plane(const XmlTag& data, const std::optional<XmlTag>& next,
                                     std::string_view text, Names names) const {
    OmePlane plane{{}, static_cast<std::uint64_t>(data.number("IFD").value_or(0))};
    if (names == Names::ignored || data.attributes.ends_with('/')) return plane;
    const std::optional<XmlTag> uuid = find_tag(next ? text.substr(0, next->end) : text, "UUID", data.end);
    if (!uuid) return plane;
    const std::string_view rest = text.substr(uuid->end);
    const bool is_itself = !uuid_.empty() && rest.substr(0, rest.find('<')) == uuid_;
    const std::string_view name = uuid->value("FileName");
    if (!is_itself && name != file_) plane.file = name;
    return plane;
  }

  std::string_view xml_;
  std::string_view file_;
  std::string_view uuid_;
  const FormatOfPlane& format_of_;
  /// Pages are named at most so often, however many images name them.
  static constexpr std::uint64_t max_planes_read = 16 * max_tiff_pages;
  std::uint64_t planes_read_ = 0;
};

}  // namespace

bool is_ome_text(std::string_view description) {
  return !description.starts_with("ImageJ=") && !description.starts_with("{") &&
         (description.find("<OME") != std::string_view::npos ||
          description.find(":OME") != std::string_view::npos);
}

std::vector<OmeImage> read_ome_images(std::string_view description, std::string_view file,
                                      const FormatOfPlane& format_of) {
  return ImageReader(description, file, format_of).images();
}

}  // namespace tenstride::io
