// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "io/format/known_formats.hpp"
#include "io/image/codec.hpp"
#include "io/input.hpp"
#include "tenstride/io/image.hpp"

namespace tenstride::io {
namespace {

bool is_png(const FileStart& start) {
  return kind_of(start.bytes) == FileKind::png;
}
bool is_jpeg(const FileStart& start) {
  return kind_of(start.bytes) == FileKind::jpeg;
}

FileInfo image_info(const ListedImage& listed) {
  const ImageInfo& image = listed.info;
  FileInfo info;
  info.format = image.format == ImageFormat::png ? "PNG" : "JPEG";
  info.storage = ElementStorage::encoded;
  if (!listed.wrong.empty()) {
    info.format = "JPEG";
    constexpr std::string_view must = "must ";
    info.obstacle = listed.wrong.starts_with(must)
                        ? listed.wrong.substr(must.size())
                        : tenstride::detail::message("be a picture that can be read (it ", listed.wrong, ")");
    return info;
  }
  info.dtype = image.dtype;
  info.orientation = image.orientation;
  if (image.is_cmyk)
    info.attributes = image.is_inverted ? R"({"colours":"CMYK","inverted":true})" : R"({"colours":"CMYK"})";
  info.layout = row_major({image.height, image.width, image.channels});
  return info;
}

std::vector<FileInfo> list_image(const std::string& path, std::string_view /*operation*/) {
  std::vector<FileInfo> result;
  for (const ListedImage& listed : list_images(path)) result.push_back(image_info(listed));
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

}  // namespace

const FileFormat png_format{.kind = FileKind::png,
                            .name = "PNG",
                            .description = "a PNG image",
                            .suffixes = {".png"},
                            .is_kind_of = is_png,
                            .list = list_image,
                            .load = load_image,
                            .save = save_png};
const FileFormat jpeg_format{.kind = FileKind::jpeg,
                             .name = "JPEG",
                             .description = "a JPEG image",
                             .is_kind_of = is_jpeg,
                             .list = list_image,
                             .load = load_image};

}  // namespace tenstride::io
