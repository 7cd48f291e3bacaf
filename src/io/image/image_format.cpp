// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "io/format/known_formats.hpp"
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

std::vector<FileInfo> list_image(const std::string& path, std::string_view /*operation*/) {
  const ImageInfo image = read_image_info(path);
  FileInfo info;
  info.format = image.format == ImageFormat::png ? "PNG" : "JPEG";
  info.storage = ElementStorage::encoded;
  info.dtype = image.dtype;
  info.orientation = image.orientation;
  if (image.is_cmyk)
    info.attributes = image.is_inverted ? R"({"colours":"CMYK","inverted":true})" : R"({"colours":"CMYK"})";
  info.layout = row_major({image.height, image.width, image.channels});
  return {info};
}

Tensor load_image(const FileInfo& info) {
  return read_image(info.path);
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
