// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "io/format/known_formats.hpp"
#include "io/image/codec.hpp"
#include "io/input.hpp"
#include "tenstride/io/image.hpp"

namespace tenstride::io {
namespace {

template <FileKind kind>
bool is_image(const FileStart& start) {
  return kind_of(start.bytes) == kind;
}

FileInfo image_info(const ListedImage& listed) {
  FileInfo info;
  info.storage = ElementStorage::encoded;
  if (!listed.wrong.empty()) {
    constexpr std::string_view must = "must ";
    info.obstacle = listed.wrong.starts_with(must)
                        ? listed.wrong.substr(must.size())
                        : tenstride::detail::message("be a picture that can be read (it ", listed.wrong, ")");
    return info;
  }
  const ImageInfo& image = listed.info;
  info.dtype = image.dtype;
  info.orientation = image.orientation;
  if (image.is_cmyk)
    info.attributes = image.is_inverted ? R"({"colours":"CMYK","inverted":true})" : R"({"colours":"CMYK"})";
  info.layout = row_major({image.height, image.width, image.channels});
  return info;
}

template <const FileFormat& format>
std::vector<FileInfo> list_image(const std::string& path, std::string_view /*operation*/) {
  std::vector<FileInfo> result;
  for (const ListedImage& listed : list_images(path)) {
    result.push_back(image_info(listed));
    result.back().format = format.name;
  }
  for (std::size_t i = 0; result.size() > 1 && i < result.size(); ++i) result[i].name = std::to_string(i);
  return result;
}

Tensor load_image(const FileInfo& info) {
  return read_listed_image(info.path, info.name.empty() ? 0 : std::stoul(info.name));
}

void save_png(const std::string& path, const std::vector<NamedTensor>& tensors,
              const SaveTensorsOptions& options, std::string_view /*operation*/) {
  write_png(path, tensors.at(0).tensor, options.overwrite);
}

template <FileKind kind, const FileFormat& format>
constexpr FileFormat image_format(std::string_view name, std::string_view description) {
  return {.kind = kind,
          .name = name,
          .description = description,
          .is_kind_of = is_image<kind>,
          .list = list_image<format>,
          .load = load_image};
}

}  // namespace

constinit const FileFormat png_format = [] {
  FileFormat format = image_format<FileKind::png, png_format>("PNG", "a PNG image");
  format.suffixes = {".png"};
  format.save = save_png;
  return format;
}();
constinit const FileFormat jpeg_format = image_format<FileKind::jpeg, jpeg_format>("JPEG", "a JPEG image");
constinit const FileFormat jpeg2000_format =
    image_format<FileKind::jpeg2000, jpeg2000_format>("JPEG-2000", "a JPEG 2000 image");
constinit const FileFormat gif_format = image_format<FileKind::gif, gif_format>("GIF", "a GIF image");

}  // namespace tenstride::io
