// SPDX-License-Identifier: Apache-2.0
#include "upright.hpp"

#include <cctype>
#include <utility>

#include "cli.hpp"

namespace tenstride::cli {
namespace {

std::size_t axis_of_rows(const io::FileInfo& info) {
  if (info.kind != io::FileKind::tiff)
    throw UsageError("convert: --upright must go with a picture or a TIFF file, others have no orientation");
  for (std::size_t axis = 0; axis + 1 < info.axis_names.size(); ++axis) {
    if (info.axis_names[axis] == "y" && info.axis_names[axis + 1] == "x") return axis;
  }
  throw UsageError(
      "convert: --upright must go with a file whose rows and columns are known as the axes y and x");
}

/// How often the name x stands in SPEC.
int uses_of_x(const std::string& spec) {
  const auto is_of_name = [&](std::size_t at) {
    return at < spec.size() && (std::isalnum(static_cast<unsigned char>(spec[at])) != 0 || spec[at] == '_');
  };
  int uses = 0;
  for (std::size_t at = spec.find('x'); at != std::string::npos; at = spec.find('x', at + 1)) {
    if ((at == 0 || !is_of_name(at - 1)) && !is_of_name(at + 1)) ++uses;
  }
  return uses;
}

bool is_transposed(const io::FileInfo& info) {
  return info.orientation >= io::Orientation::transposed;
}

}  // namespace

std::string upright_links(const io::FileInfo& info) {
  const std::string rows = std::to_string(axis_of_rows(info));
  const std::string columns = std::to_string(axis_of_rows(info) + 1);
  const std::string transposed = is_transposed(info) ? ".transpose(" + rows + "," + columns + ")" : "";
  switch (info.orientation) {
    case io::Orientation::mirrored:
    case io::Orientation::rotated_counterclockwise:
      return transposed + ".flip(" + columns + ")";
    case io::Orientation::rotated_180:
    case io::Orientation::transposed_other_diagonal:
      return transposed + ".flip(" + rows + "," + columns + ")";
    case io::Orientation::mirrored_vertically:
    case io::Orientation::rotated_clockwise:
      return transposed + ".flip(" + rows + ")";
    case io::Orientation::upright:
    case io::Orientation::transposed:
      break;
  }
  return transposed;
}

Dims upright_shape(const io::FileInfo& info) {
  Dims shape = info.layout.shape;
  const std::size_t rows = axis_of_rows(info);
  if (is_transposed(info)) std::swap(shape[rows], shape[rows + 1]);
  return shape;
}

std::string behind_links(const std::string& spec, const std::string& links) {
  if (links.empty()) return spec;
  // A chain stays one, so that it can be carried out tile by tile.
  if (uses_of_x(spec) == 1 && spec.starts_with("x")) return "x" + links + spec.substr(1);
  return "x = x" + links + "; " + spec;
}

std::string orientation_name(const io::FileInfo& info) {
  return info.kind == io::FileKind::tiff ? "orientation" : "EXIF orientation";
}

}  // namespace tenstride::cli
